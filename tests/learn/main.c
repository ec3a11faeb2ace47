/* learn-check: can an attention mechanism learn a task? Prints how it goes, and the exam's result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/option.h"
#include "base/usage.h"
#include "learn.h"

typedef struct {
    const char *task, *attention, *output, *optimiser, *schedule;
    int steps, soft, seed, cases, exam;
    bool quiet, list, help;
} arguments;

static const at_option options[] = {
    {.name = "task",
     .letter = 't',
     OPTION_STRING(arguments, task),
     .meta = "NAME",
     .help = "What is to be learned"},
    {.name = "attention",
     .letter = 'a',
     OPTION_STRING(arguments, attention),
     .value = "scaled-dot",
     .meta = "SCORE/SCOPE/PICK/HEADS",
     .help = "With which attention"},
    {.name = "output",
     .letter = 'o',
     OPTION_STRING(arguments, output),
     .meta = "NAME",
     .help = "words, pointer, copy or module; by default the task's"},
    {.name = "steps",
     OPTION_INT(arguments, steps),
     .value = "3000",
     .min = 1,
     .max = 1e6,
     .meta = "N",
     .help = "Steps at most; a lesson ends when its exam is passed"},
    {.name = "soft",
     OPTION_INT(arguments, soft),
     .value = "0",
     .max = 1e6,
     .meta = "N",
     .help = "The first N steps with the soft pick, before the one that is to be learned"},
    {.name = "seed",
     OPTION_INT(arguments, seed),
     .value = "1",
     .min = 0,
     .max = 1e9,
     .meta = "S",
     .help = "Another seed means other weights to start from and other cases"},
    {.name = "optimizer",
     OPTION_STRING(arguments, optimiser),
     .value = "adam:lr=0.01",
     .meta = "NAME:OPTIONS",
     .help = "What makes the steps, with its learning rate"},
    {.name = "schedule",
     OPTION_STRING(arguments, schedule),
     .value = "linear:warmup=200",
     .meta = "NAME:SETTINGS",
     .help = "How the learning rate goes up and down"},
    {.name = "cases",
     OPTION_INT(arguments, cases),
     .value = "32",
     .min = 1,
     .max = 1000,
     .meta = "N",
     .help = "Fresh cases in every step"},
    {.name = "exam",
     OPTION_INT(arguments, exam),
     .value = "1000",
     .min = 1,
     .max = 1e6,
     .meta = "N",
     .help = "Cases in an exam"},
    {.name = "quiet",
     .letter = 'q',
     OPTION_FLAG(arguments, quiet),
     .help = "Say nothing on the way"},
    {.name = "list", OPTION_FLAG(arguments, list), .help = "Name the tasks"},
    {.name = "help", .letter = 'h', OPTION_FLAG(arguments, help), .help = "Say this"},
    {0}};

static void print_usage(void)
{
    puts("usage: learn-check --task NAME [OPTION]...\n"
         "Teaches a model of one attention read a task, and examines it on cases that it has\n"
         "never seen. A case counts when every answer in it is right; 99 % of them pass.\n"
         "Exits with 0 when it has passed, 1 when it has not.\n");
    for (const at_option *o = options; o->name; o++) {
        at_str title = {0}, text = {0};
        at_option_title(&title, o);
        at_option_explain(&text, o);
        printf("  %-36s %s\n", title.text, text.text);
        at_str_free(&title);
        at_str_free(&text);
    }
}

static void progress(int step, double loss, double right)
{
    fprintf(stderr, "step %5d  loss %.4f  right %5.1f %%\n", step, loss, 100 * right);
}

static attend_status prepare(const arguments *a, at_lesson *l, attend_error *err)
{
    *l = (at_lesson){.pupil = {.task = at_task_find(a->task ? a->task : "")},
                     .steps = a->steps,
                     .soft = a->soft,
                     .seed = (uint64_t)a->seed,
                     .optimiser = a->optimiser,
                     .schedule = a->schedule,
                     .cases = a->cases,
                     .exam = a->exam,
                     .progress = a->quiet ? NULL : progress};
    if (!l->pupil.task)
        return at_error(err, ATTEND_OPTION, "there is no task '%s'; learn-check --list names them",
                        a->task ? a->task : "");
    attend_status status = at_how_parse(&l->pupil.how, a->attention, err);
    const char *output = a->output ? a->output : l->pupil.task->output;
    return status < 0 ? status : at_output_parse(&l->pupil.output, output, &l->pupil.how, err);
}

static int run(const arguments *a)
{
    at_lesson lesson;
    at_grade grade;
    attend_error err;
    attend_status status = prepare(a, &lesson, &err);
    if (status >= 0)
        status = at_lesson_run(&lesson, &grade, &err);
    if (status < 0) {
        fprintf(stderr, "learn-check: %s\n", err.message);
        return status == ATTEND_OPTION ? EX_USAGE : EX_SOFTWARE;
    }
    printf("%s %s %s seed %d: %.1f %% after %d steps\n", lesson.pupil.task->name, a->attention,
           lesson.pupil.output->about.name, a->seed, 100 * grade.right, grade.steps);
    return grade.right >= at_pass ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    arguments a;
    attend_error err;
    int operands;
    at_option_set set = {options, &a};
    attend_status status = at_options_defaults(options, &a, &err);
    if (status >= 0)
        status = at_options_parse(&set, 1, argc - 1, argv + 1, &operands, &err);
    if (status < 0 || operands) {
        fprintf(stderr, "learn-check: %s\n", status < 0 ? err.message : "it takes options only");
        return EX_USAGE;
    }
    if (a.help)
        print_usage();
    for (int i = 0; a.list && i < at_task_count; i++)
        printf("%-8s %s\n", at_tasks[i]->name, at_tasks[i]->says);
    attend_set_threads(1); /* the sums are small */
    return a.help || a.list ? EXIT_SUCCESS : run(&a);
}
