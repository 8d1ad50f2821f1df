"""What every package uses: validation, linear algebra, files, processes."""
