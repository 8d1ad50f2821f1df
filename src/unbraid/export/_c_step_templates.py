"""The parts of C files of dynamic models that do not depend on the parameters."""

from string import Template

C_HEADER = Template("""\
/* A $kind, one sample at a time: $size.

   Written by unbraid. C99: the caller owns the state, no memory is allocated.

       ${name}_state s;
       ${name}_init(&s, 0);
       ${name}_step(&s, u, y);     once per sample

$comments */
#ifndef UNBRAID_${guard}_H
#define UNBRAID_${guard}_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    $real x[$n_states];
} ${name}_state;

/* Sets the state to x0 ($n_states numbers), or to the initial one where x0 is null. */
void ${name}_init(${name}_state *s, const $real *x0);

/* Computes the outputs y(t) from the inputs u(t), and moves the state on to t + 1. */
void ${name}_step(${name}_state *s, const $real u[$n_inputs], $real y[$n_outputs]);
$push
#ifdef __cplusplus
}
#endif

#endif
""")

C_PUSH_PROTOTYPE = Template("""
/* Enters measured inputs u(t) and outputs y(t), and moves the state on to t + 1. */
void ${name}_push(${name}_state *s, const $real u[$n_inputs], const $real y[$n_outputs]);
""")

C_SOURCE_HEAD = Template("""\
/* A $kind, one sample at a time: $size.
   Written by unbraid. The interface is described in the header. */
$include#include "$header"

""")

C_INIT = Template("""
void ${name}_init(${name}_state *s, const $real *x0)
{
    $initial
    for (int k = 0; k < $n_states; ++k)
        s->x[k] = x0 ? x0[k] : initial[k];
}
""")

C_STEP = Template("""
void ${name}_step(${name}_state *s, const $real u[$n_inputs], $real y[$n_outputs])
{
    const $real p[$m] = {
        $arguments
    };
    $real q[$n];
    ${name}_map(p, q);
    const $real next[$n_states] = {
        $updates
    };
    for (int k = 0; k < $n_states; ++k)
        s->x[k] = next[k];
    for (int o = 0; o < $n_outputs; ++o)
        y[o] = q[$first_output + o];
$limits$unused}
""")

C_PUSH = Template("""
void ${name}_push(${name}_state *s, const $real u[$n_inputs], const $real y[$n_outputs])
{
    const $real next[$n_states] = {
        $measured
    };
    for (int k = 0; k < $n_states; ++k)
        s->x[k] = next[k];
$unused}
""")
