/* attend answer: questions and texts in, answers out, each a span of its text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "cli/encoding_out.h"
#include "cli/option_use.h"
#include "cli/questions.h"

typedef struct {
    const char *question, *context, *format;
    int window, stride, max_question, max_answer, best, batch;
    double threshold;
    bool always, json, show;
    at_encoding_settings look;
} answer;

/* clang-format off */
static const at_option options[] = {
    {.name = "question", OPTION_STRING(answer, question), .meta = "TEXT",
     .group = "Input", .help = "Question, about --context"},
    {.name = "context", OPTION_STRING(answer, context), .meta = "TEXT",
     .help = "Text that has the answer",
     .example = {"attend answer model --question 'Who came?' --context 'Ann came.'",
                 "One question"}},
    {.name = "format", OPTION_STRING(answer, format), .meta = "NAME",
     .help = "Format of FILE: squad, subjqa, babi, .. (default: guessed from its first lines)"},
    {.name = "window", OPTION_INT(answer, window), .value = "384", .min = 8, .max = 1 << 20,
     .meta = "N", .help = "Tokens of question and context that are read at once; of a longer "
                          "context, several windows"},
    {.name = "stride", OPTION_INT(answer, stride), .value = "128", .min = 1, .max = 1 << 20,
     .meta = "N", .help = "Tokens by which the next window begins later"},
    {.name = "max-question", OPTION_INT(answer, max_question), .value = "64", .min = 1,
     .max = 1 << 16, .meta = "N", .help = "Tokens of a question that are read"},
    {.name = "batch", OPTION_INT(answer, batch), .value = "16", .min = 1, .max = 1 << 16,
     .meta = "N", .help = "Windows at a time; changes nothing but the speed"},
    {.name = "max-answer", OPTION_INT(answer, max_answer), .value = "30", .min = 1,
     .max = 1 << 16, .meta = "N", .group = "Answers", .help = "Tokens of an answer at most"},
    {.name = "threshold", OPTION_REAL(answer, threshold), .value = "0", .min = -1e9, .max = 1e9,
     .meta = "X", .help = "No answer is given where its score is higher than that of the best "
                          "answer by more than X"},
    {.name = "always", OPTION_FLAG(answer, always),
     .help = "Always answer, as in SQuAD 1.1; no threshold"},
    {.name = "best", OPTION_INT(answer, best), .value = "1", .min = 1, .max = 100, .meta = "N",
     .help = "Answers of a question, the best first, in --json"},
    {.name = "json", OPTION_FLAG(answer, json), .group = "Output",
     .help = "Write an object for each question: its answers with their positions, scores and "
             "probabilities"},
    {.name = "show", OPTION_FLAG(answer, show),
     .help = "Write each context with its answer marked"},
    ENCODING_OPTIONS(answer, look),
    {0}};
/* clang-format on */

typedef struct {
    at_cli *cli;
    const answer *o;
    attend_model *model;
    at_questions questions;
    at_attention_out attention;
    at_str out;
    bool predictions; /* {"id": "answer", ..} of a file */
    long cut;         /* questions that were shortened */
} work;

/* ---- out ------------------------------------------------------------------------------------ */

/* characters before a byte, as SQuAD counts them */
static long long characters(const char *text, size_t bytes)
{
    long long n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

static void write_object(work *w, const at_question_read *q, const attend_answered *a)
{
    at_json_out j = {.out = &w->out};
    at_json_object(&j, NULL);
    if (q->id)
        at_json_string(&j, "id", q->id);
    else
        at_json_int(&j, "line", (long long)(w->questions.before + a->index + 1));
    at_json_string(&j, "answer", a->answered ? a->span[0].text : "");
    at_json_array(&j, "best");
    for (int i = 0; i < a->count; i++) {
        const attend_answer_span *s = &a->span[i];
        at_json_object(&j, NULL);
        at_json_string(&j, "text", s->text);
        at_json_int(&j, "answer_start", characters(q->ask.context, s->begin));
        at_json_real(&j, "score", s->score, 6);
        at_json_real(&j, "probability", s->probability, 6);
        at_json_end(&j);
    }
    at_json_end(&j);
    at_json_object(&j, "none");
    at_json_real(&j, "score", a->none_score, 6);
    at_json_real(&j, "probability", a->none_probability, 6);
    at_json_end(&j);
    at_json_int(&j, "windows", a->windows);
    at_json_end(&j);
    at_str_add(&w->out, "\n");
}

/* the context, its answer in brackets, or reversed where there are colours */
static void write_marked(work *w, const char *context, const attend_answered *a)
{
    size_t begin = a->answered ? a->span[0].begin : 0, end = a->answered ? a->span[0].end : 0;
    at_str_add_bytes(&w->out, context, begin);
    if (end)
        at_str_add(&w->out, w->cli->color ? "\033[7m" : "[");
    at_str_add_bytes(&w->out, context + begin, end - begin);
    if (end)
        at_str_add(&w->out, w->cli->color ? "\033[0m" : "]");
    at_str_print(&w->out, "%s\n", context + end);
}

static void write_prediction(work *w, const at_question_read *q, const attend_answered *a)
{
    char number[32];
    size_t index = w->questions.before + a->index;
    snprintf(number, sizeof number, "%zu", index + 1);
    at_str_add(&w->out, index ? ",\n" : "{");
    at_str_add_json(&w->out, q->id ? q->id : number);
    at_str_add(&w->out, ": ");
    at_str_add_json(&w->out, a->answered ? a->span[0].text : "");
}

static attend_status write_one(void *user, const attend_answered *a, attend_error *err)
{
    work *w = user;
    const at_question_read *q = &w->questions.item[a->index];
    w->cut += a->cut;
    if (w->o->json)
        write_object(w, q, a);
    else if (w->o->show)
        write_marked(w, q->ask.context, a);
    else if (w->predictions)
        write_prediction(w, q, a);
    else
        at_str_print(&w->out, "%s\n", a->answered ? a->span[0].text : "");
    attend_status status = at_encoding_out_add(
        &w->attention, &w->o->look, w->questions.before + a->index,
        a->answered ? a->span[0].text : "", a->encoding, err);
    return status < 0 ? status : at_cli_flush(&w->out, false, err);
}

/* ---- in ------------------------------------------------------------------------------------- */

static attend_status answer_all(work *w, size_t count, const attend_question *ask,
                                attend_error *err)
{
    const answer *o = w->o;
    attend_answer_options inside;
    attend_answer_defaults(&inside);
    inside.window = o->window;
    inside.stride = o->stride;
    inside.max_question = o->max_question;
    inside.max_answer = o->max_answer;
    inside.best = o->best;
    inside.batch = o->batch;
    inside.threshold = o->always ? INFINITY : o->threshold;
    inside.attention = o->look.attention.path != NULL;
    inside.layer = o->look.attention.layer;
    inside.head = o->look.attention.head;
    attend_status status = attend_answer(w->model, &inside, count, ask, write_one, w, err);
    return status < 0 ? status : at_cli_flush(&w->out, true, err);
}

static attend_status answer_one(work *w, attend_error *err)
{
    at_question_read one = {.ask = {w->o->question, w->o->context}};
    w->questions.item = &one;
    return answer_all(w, 1, &one.ask, err);
}

static attend_status answer_blocks(work *w, const char *path, attend_error *err)
{
    attend_status status = at_questions_open(&w->questions, w->cli, path, w->o->format, err);
    w->predictions = path && !w->o->json && !w->o->show;
    while (status >= 0 && !w->questions.ended) {
        status = at_questions_read(&w->questions, err);
        if (status >= 0 && w->questions.count)
            status = answer_all(w, w->questions.count, w->questions.ask, err);
    }
    if (status >= 0 && w->predictions) {
        at_str_add(&w->out, w->questions.before + w->questions.count ? "}\n" : "{}\n");
        status = at_cli_flush(&w->out, true, err);
    }
    at_questions_close(&w->questions);
    return status;
}

static attend_status check(const answer *o, int operands, attend_error *err)
{
    if (!o->question != !o->context)
        return at_error(err, ATTEND_OPTION, "--question and --context belong together; give both");
    if (o->question && operands > 1)
        return at_error(err, ATTEND_OPTION,
                        "--question asks about --context, not about a file; leave one out");
    if (o->format && operands < 2)
        return at_error(err, ATTEND_OPTION, "--format is that of FILE, which is missing");
    if (o->always && o->threshold != 0)
        return at_error(err, ATTEND_OPTION, "--always has no threshold; leave one out");
    if (o->best > 1 && !o->json)
        return at_error(err, ATTEND_OPTION, "--best %d: only --json has several answers", o->best);
    if (o->json && o->show)
        return at_error(err, ATTEND_OPTION, "--json and --show write the answers; choose one");
    return at_encoding_out_check(&o->look, err);
}

static attend_status run(at_cli *cli, const void *fields, int operands, char **operand,
                         attend_error *err)
{
    work w = {.cli = cli, .o = fields, .questions = {.lines = {.file = -1}}};
    attend_status status = check(w.o, operands, err);
    if (status >= 0)
        status = at_cli_model_open(cli, operand[0], ATTEND_CAN_ANSWER, &w.model, err);
    if (status >= 0)
        status = at_encoding_out_open(&w.attention, cli, &w.o->look, err);
    if (status >= 0)
        status = w.o->question ? answer_one(&w, err)
                               : answer_blocks(&w, operands > 1 ? operand[1] : NULL, err);
    if (status >= 0)
        status = at_attention_out_commit(&w.attention, err);
    if (w.cut && !cli->common.quiet)
        fprintf(stderr,
                "attend answer: %ld question%s more than %d tokens; the rest was not read\n", w.cut,
                w.cut == 1 ? " has" : "s have", w.o->max_question);
    at_attention_out_free(&w.attention);
    at_str_free(&w.out);
    attend_model_free(w.model);
    return status;
}

static const at_term examples[] = {
    {"attend answer model dev-v2.0.json > predictions.json", "Answers of a data set"},
    {"attend answer model < questions.tsv", "A question, a tab and its context on each line"},
    {0}};

const at_command at_command_answer = {
    .usage = {.name = "answer",
              .summary = "Find the answers of questions in their texts",
              .operands = "MODEL [FILE]",
              .description = "MODEL is a folder with a head for spans of answers, from the Hugging "
                             "Face hub or made by `attend train --task answer`. FILE has questions "
                             "in a format of `attend list formats`; its answers are an object with "
                             "the answer of each question's id, which `attend measure` takes. "
                             "Without FILE and --question, standard input has a question, a tab "
                             "and a context on each line. No answer is an empty line.",
              .options = options,
              .examples = examples},
    .size = sizeof(answer),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
