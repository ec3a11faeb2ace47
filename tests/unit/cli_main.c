/* The option tables of all commands, and of all settings of training, beside the table of aliases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/option_alias.h"
#include "train/run.h"
#include "train/task.h"

int attend_main(int argc, char **argv);
#define main attend_main
#include "cli/main.c"
#undef main

enum { TABLES_MAX = 8 };

static bool has(const at_option *const *tables, const char *name)
{
    for (int i = 0; i < TABLES_MAX; i++)
        for (const at_option *o = tables[i]; o && o->name; o++)
            if (strcmp(o->name, name) == 0)
                return true;
    return false;
}

/* An alias that is also an option would be either: the option hides it. `unless` names an option
 * beside which the alias is not accepted. */
static int check(const char *where, const at_option *const tables[TABLES_MAX])
{
    int accepted = 0;
    for (const at_option_alias *a = at_option_aliases; a->alias; a++) {
        if (!has(tables, a->name) || (a->unless && has(tables, a->unless)))
            continue;
        accepted++;
        if (has(tables, a->alias))
            fail_msg("%s: --%s is an option and an alias of --%s", where, a->alias, a->name);
    }
    return accepted;
}

static void no_alias_is_an_option_of_the_same_command(void **state)
{
    (void)state;
    int accepted = 0;
    for (const at_usage *const *u = at_program_attend.commands; *u; u++)
        accepted += check((*u)->name, (const at_option *const[TABLES_MAX]){at_program_attend.common,
                                                                           (*u)->options});
    assert_true(accepted > 20);
}

static void no_alias_is_a_setting_of_the_same_task_and_model(void **state)
{
    (void)state;
    for (int i = 0; i < at_task_count; i++)
        for (int k = 0; k < at_model_kind_count; k++) {
            const at_task *t = at_tasks[i];
            const at_model_kind *kind = at_model_kinds[k];
            const at_option *tables[TABLES_MAX] = {at_run_options, t->options, kind->options};
            for (int s = 0; s < ATTEND_TASK_TABLES; s++)
                tables[3 + s] = t->shared[s];
            if (t->can & kind->can)
                assert_true(check(t->name, tables) > 5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_alias_is_an_option_of_the_same_command),
        cmocka_unit_test(no_alias_is_a_setting_of_the_same_task_and_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
