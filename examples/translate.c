/* Learns to translate from pairs of sentences, translates the lines of its standard input, and says
 * which word of each looked at which.
 *
 *     translate PAIRS.tsv MODEL_FOLDER < lines
 */
#include <attend.h>
#include <stdio.h>
#include <string.h>

/* Called through the training: a line for each validation. */
static attend_status watch(void *user, const attend_train_event *e, attend_error *err)
{
    (void)user, (void)err;
    if (e->kind == ATTEND_TRAIN_VALIDATED)
        fprintf(stderr, "epoch %.0f: %s %.2f\n", e->epoch, e->metrics[0].title,
                e->metrics[0].value);
    return ATTEND_OK; /* ATTEND_STOPPED would end the run */
}

/* Called for each line that was translated. */
static attend_status take(void *user, const attend_translation *t, attend_error *err)
{
    (void)user;
    char *links;
    attend_status status = attend_translation_links(t, 0, 0, &links, err);
    if (status < 0)
        return status;
    printf("%s\t%s\n", t->text, links);
    attend_free(links);
    return ATTEND_OK;
}

static attend_status translate(const char *folder, attend_error *err)
{
    attend_model *model;
    attend_translate_options o;
    attend_status status = attend_model_open(folder, &model, err);
    attend_translate_defaults(&o);
    o.attention = o.target_words = 1; /* what links are made of */
    char line[1000];
    while (status >= 0 && fgets(line, sizeof line, stdin)) {
        const char *text = line;
        line[strcspn(line, "\n")] = '\0';
        status = attend_translate(model, &o, 1, &text, take, NULL, err);
    }
    attend_model_free(model);
    return status;
}

int main(int argc, char **argv)
{
    attend_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: translate PAIRS.tsv MODEL_FOLDER < lines\n");
        return 2;
    }
    const attend_setting settings[] = {
        {"preset", "bahdanau"}, {"data", argv[1]}, {"out", argv[2]}, {"hidden", "64"},
        {"embedding", "32"},    {"epochs", "8"},   {"lr", "0.005"},  {"valid", "10%"}};
    attend_status status = attend_train(settings, sizeof settings / sizeof *settings, watch, NULL,
                                        &err);
    if (status >= 0)
        status = translate(argv[2], &err);
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    return status < 0;
}
