"""The parts of a C file that do not depend on the parameters."""

from string import Template

C_HEAD = Template("""\
/* f(p) = W g(V' p) + offset, every g_i a function of one variable:
   $inputs, $outputs, $branches.

   Written by unbraid from a decoupled function. C99: no state, no memory allocation.

       void $name(const $real p[$m], $real f[$n]);
           the outputs f at a point p

       void ${name}_jacobian(const $real p[$m], $real J[$size]);
           J[i * $m + j] is the derivative of f[i] with respect to p[j]

$signals   Declare both functions in your own header. */
$include
""")

C_PIECES = Template("""
/* Polynomials in z - break, highest power first. */
static $real ${name}_pieces($real z, int last, const $real *breaks, int degree,
    const $real *table, $real *slope)
{
    int low = 0, high = last;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (z >= breaks[middle])
            low = middle;
        else
            high = middle - 1;
    }
    const $real x = z - breaks[low];
    const $real *c = table + low * (degree + 1);
    $real g = c[0], s = 0;
    for (int k = 1; k <= degree; ++k) {
        s = s * x + g;
        g = g * x + c[k];
    }
    *slope = s;
    return g;
}
""")

C_LEGENDRE = Template("""
/* c[0] P1(t) + c[1] P2(t) + ..., Legendre polynomials. */
static $real ${name}_legendre($real t, int degree, const $real *c, $real *slope)
{
    $real below = 1, p = t, slope_below = 0, q = 1, g = 0, s = 0;
    for (int k = 1; k <= degree; ++k) {
        const $real next = ((2 * k + 1) * t * p - k * below) / (k + 1);
        const $real slope_next = slope_below + (2 * k + 1) * p;
        g += c[k - 1] * p;
        s += c[k - 1] * q;
        below = p;
        p = next;
        slope_below = q;
        q = slope_next;
    }
    *slope = s;
    return g;
}
""")

C_HARMONICS = Template("""
/* A line plus waves; a row has a frequency and the weights of its sine and cosine. */
static $real ${name}_harmonics($real t, $real line, int count,
    const $real *rows, $real *slope)
{
    $real g = line * t, s = line;
    for (int k = 0; k < count; ++k) {
        const $real *row = rows + 3 * k;
        const $real sine = sin$suffix(row[0] * t), cosine = cos$suffix(row[0] * t);
        g += row[1] * sine + row[2] * cosine;
        s += row[0] * (row[1] * cosine - row[2] * sine);
    }
    *slope = s;
    return g;
}
""")

C_BUMPS = Template("""
/* A sum of Gaussian bumps; a row has a centre and a height. */
static $real ${name}_bumps($real t, $real width, int count,
    const $real *rows, $real *slope)
{
    $real g = 0, s = 0;
    for (int k = 0; k < count; ++k) {
        const $real x = (t - rows[2 * k]) / width;
        const $real bump = rows[2 * k + 1] * exp$suffix(-x * x / 2);
        g += bump;
        s -= bump * x / width;
    }
    *slope = s;
    return g;
}
""")

C_BRANCH = Template("""
static $real ${name}_branch_$index($real z, $real *slope)
{
$body
}
""")

C_BRANCHES = Template("""
static $real (*const ${name}_branches[$r])($real, $real *) = {
    $functions
};

static $real ${name}_branch(int i, const $real *p, $real *slope)
{
    $real z = 0;
    for (int j = 0; j < $m; ++j)
        z += ${name}_V[i][j] * p[j];
    return ${name}_branches[i](z, slope);
}
""")

C_FUNCTION = Template("""
$signature
{
    for (int o = 0; o < $n; ++o)
        f[o] = ${name}_offset[o];
$terms}
""")

C_LINEAR_TERMS = Template("""\
    for (int o = 0; o < $n; ++o)
        for (int j = 0; j < $m; ++j)
            f[o] += ${name}_linear[o][j] * p[j];
""")

C_BRANCH_TERMS = Template("""\
    for (int i = 0; i < $r; ++i) {
        $real slope;
        const $real g = ${name}_branch(i, p, &slope);
        for (int o = 0; o < $n; ++o)
            f[o] += ${name}_W[i][o] * g;
    }
""")

C_JACOBIAN = Template("""
void ${name}_jacobian(const $real p[$m], $real J[$size])
{
    for (int k = 0; k < $size; ++k)
        J[k] = 0;
    for (int i = 0; i < $r; ++i) {
        $real slope;
        ${name}_branch(i, p, &slope);
        for (int o = 0; o < $n; ++o)
            for (int j = 0; j < $m; ++j)
                J[o * $m + j] += ${name}_W[i][o] * slope * ${name}_V[i][j];
    }
}
""")
