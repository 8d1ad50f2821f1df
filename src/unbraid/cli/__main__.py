"""``python -m unbraid.cli``."""

import sys

from . import main

sys.exit(main())
