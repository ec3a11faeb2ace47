/* Every op of the list: gradient check, fused against reference, and proof that the check would
 * notice a fault. Gradient checks need the double build; the float build compares with a
 * tolerance of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "grad/check.h"
#include "grad/ops.h"

#ifdef ATTEND_REAL_DOUBLE
enum { IS_DOUBLE = 1 };
static const double check_tolerance = 1e-6, agree_tolerance = 1e-11;
#else
enum { IS_DOUBLE = 0 };
static const double check_tolerance = 1e-3, agree_tolerance = 2e-5;
#endif

static void every_op_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < at_op_count; i++) {
        const at_op *op = at_ops[i];
        if (!op->name || !op->formula || !op->backward || !op->sample)
            fail_msg("op %s lacks a name, formula, backward or sample", op->name);
    }
}

static void gradients_agree_with_differences(void **state)
{
    (void)state;
    for (int i = 0; i < at_op_count; i++) {
        at_check c = at_gradient_check(at_ops[i]->sample, NULL, check_tolerance, NULL, NULL);
        print_message("%-22s worst %.1e at %s\n", at_ops[i]->name, c.worst, c.where);
        if (!c.ok)
            fail_msg("%s: error %g at %s", at_ops[i]->name, c.worst, c.where);
    }
}

static void fused_ops_equal_their_reference(void **state)
{
    (void)state;
    for (int i = 0; i < at_op_count; i++) {
        if (!at_ops[i]->reference)
            continue;
        at_check c = at_builds_agree(at_ops[i]->sample, at_ops[i]->reference, NULL,
                                     agree_tolerance);
        print_message("%-22s worst %.1e at %s\n", at_ops[i]->name, c.worst, c.where);
        if (!c.ok)
            fail_msg("%s: error %g at %s", at_ops[i]->name, c.worst, c.where);
    }
}

/* ---- planted faults --------------------------------------------------------------------- */

/* makes one input's share of one op's gradient 1 % too large */
typedef struct {
    const at_op *op;
    int input;
    int hits;
    real *before;
    size_t len;
} fault;

static void plant(void *user, const at_node *n, bool after)
{
    fault *f = user;
    if (n->op != f->op || f->input >= n->n_in || !n->in[f->input])
        return;
    const at_tensor *x = n->in[f->input];
    real *grad = (real *)at_grad_of(x);
    if (!after) {
        f->before = at_alloc_zero(x->len, sizeof(real));
        if (grad)
            memcpy(f->before, grad, x->len * sizeof(real));
        return;
    }
    for (size_t i = 0; grad && i < x->len; i++)
        if (grad[i] != f->before[i]) {
            grad[i] += (real)0.01 * (grad[i] - f->before[i]);
            f->hits++;
        }
    at_free(f->before);
}

static void a_fault_of_one_percent_is_caught_in_every_op(void **state)
{
    (void)state;
    if (!IS_DOUBLE)
        skip();
    int planted = 0;
    for (int i = 0; i < at_op_count; i++) {
        int of_op = 0;
        for (int input = 0; input < 15; input++) {
            fault f = {.op = at_ops[i], .input = input};
            at_check c = at_gradient_check(at_ops[i]->sample, NULL, check_tolerance, plant, &f);
            of_op += f.hits > 0;
            if (f.hits > 0 && c.ok)
                fail_msg("%s: a fault in the gradient of input %d passes", at_ops[i]->name, input);
            if (f.hits > 0 && !(strstr(c.where, "]: analytic ") && strstr(c.where, ", numeric ")))
                fail_msg("%s does not say which number is which", c.where);
        }
        if (of_op == 0 && strcmp(at_ops[i]->name, "reshape") != 0) /* it shares the gradient */
            fail_msg("%s: no fault could be planted", at_ops[i]->name);
        planted += of_op;
    }
    print_message("%d faults planted in %d ops, all caught\n", planted, at_op_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_is_complete),
        cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(fused_ops_equal_their_reference),
        cmocka_unit_test(a_fault_of_one_percent_is_caught_in_every_op),
    };
    return cmocka_run_group_tests_name("grad_ops", tests, NULL, NULL);
}
