/* Translates a line, and prints which source token each target token attends to. */
#include <attend.h>
#include <stdio.h>

static attend_status show(void *user, const attend_translation *t, attend_error *err)
{
    (void)user, (void)err;
    puts(t->text);
    for (int i = 0; t->weights && i < t->targets; i++) {
        const double *weight = t->weights + i * t->sources;
        int best = 0;
        for (int k = 1; k < t->sources; k++)
            best = weight[k] > weight[best] ? k : best;
        printf("%s\t%s\t%.2f\n", t->target[i], t->source[best], weight[best]);
    }
    return ATTEND_OK;
}

int main(int argc, char **argv)
{
    attend_error err;
    attend_model *model = NULL;
    attend_translate_options options;
    const char *folder = argc > 1 ? argv[1] : "model", *line = argc > 2 ? argv[2] : "a red cat";
    attend_translate_defaults(&options);
    options.attention = 1;
    attend_status status = attend_model_open(folder, &model, &err);
    if (status >= 0)
        status = attend_translate(model, &options, 1, &line, show, NULL, &err);
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    attend_model_free(model);
    return status < 0;
}
