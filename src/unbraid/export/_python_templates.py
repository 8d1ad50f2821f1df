"""The parts of a Python file that do not depend on the parameters."""

from string import Template

PYTHON_READ = '''

def _read(values, count, what):
    """Return numbers as a list; a number by itself will do where one is needed."""
    try:
        row = [float(value) for value in values]
    except TypeError:
        row = [float(values)]
    if len(row) != count:
        raise ValueError("%s has %d numbers, not %d" % (what, len(row), count))
    return row


def _dot(left, right):
    return sum(a * b for a, b in zip(left, right))
'''

PYTHON_PIECES = '''

def _pieces(z, breaks, table):
    """Polynomials in z - break, one row per piece, highest power first."""
    low, high = 0, len(breaks) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if z >= breaks[middle]:
            low = middle
        else:
            high = middle - 1
    x = z - breaks[low]
    g = table[low][0] + 0 * x
    for c in table[low][1:]:
        g = g * x + c
    return g
'''

PYTHON_LEGENDRE = '''

def _legendre(t, c):
    """c[0] P1(t) + c[1] P2(t) + ..., Legendre polynomials."""
    below, current, g = 1.0, t, 0.0
    for k, weight in enumerate(c, 1):
        g += weight * current
        below, current = current, ((2 * k + 1) * t * current - k * below) / (k + 1)
    return g
'''

PYTHON_HARMONICS = '''

def _harmonics(t, line, rows):
    """A line plus waves; a row has a frequency and the weights of its sine and cosine."""
    g = line * t
    for frequency, sine, cosine in rows:
        phase = frequency * t
        if phase - phase != 0:  # the standard library refuses the sine of infinity
            return float("nan")
        g += sine * math.sin(phase) + cosine * math.cos(phase)
    return g
'''

PYTHON_BUMPS = '''

def _bumps(t, width, rows):
    """A sum of Gaussian bumps; a row has a centre and a height."""
    g = 0.0
    for centre, height in rows:
        x = (t - centre) / width
        g += height * math.exp(-x * x / 2)
    return g
'''

PYTHON_FUNCTION = Template('''

def $name(p):
    """Return the outputs at a point p; one output as a number, several as a list."""
    f = _map(_read(p, $m, "p"))
    return $result
''')

PYTHON_MODEL = Template('''

class $name(object):
    """A $kind, one sample at a time: $size."""

    input_names = $input_names
    output_names = $output_names
    state_names = $state_names
    sampling_time = $sampling_time

    def __init__(self, x0=None):
        self.reset(x0)

    def reset(self, x0=None):
        """Set the state to x0, or to the initial state."""
        self.state = _read(_INITIAL if x0 is None else x0, $n_states, "x0")

    def step(self, u):
        """Return y(t) for the inputs u(t), and move the state on to t + 1.

        One output is a number, several are a list.
        """
        u, state = _read(u, $n_inputs, "u"), self.state
        p = [
            $arguments
        ]
        q = _map(p)
        self.state = [
            $updates
        ]
        y = q[$first_output:]
$limits        return $result
''')

PYTHON_PUSH = Template('''
    def push(self, u, y):
        """Enter measured inputs u(t) and outputs y(t), and move the state on to t + 1."""
        u, y, state = _read(u, $n_inputs, "u"), _read(y, $n_outputs, "y"), self.state
        self.state = [
            $measured
        ]
''')
