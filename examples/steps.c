/* Translates the lines of its standard input with a search of its own, token by token: prints each
 * token, what else the model thought of, and the source token that it attends to most.
 *
 *     steps MODEL_FOLDER < lines
 */
#include <attend.h>
#include <stdio.h>
#include <string.h>

enum { ALTERNATIVES = 3, LONGEST = 100 };

/* The key with the most weight, mean over the heads of the last layer; -1: nothing is recorded. */
static int most_attended(attend_session *session, attend_error *err)
{
    const attend_attention_row *row;
    size_t count;
    if (attend_session_attention(session, 0, &row, &count, err) < 0 || count == 0)
        return -1;
    int best = 0, keys = row[count - 1].keys;
    double most = 0;
    for (int k = 0; k < keys; k++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            if (row[i].layer == row[count - 1].layer)
                sum += row[i].weights[k];
        if (sum > most) {
            most = sum;
            best = k;
        }
    }
    return best;
}

static void show(attend_session *session, int count, const attend_alternative *a, int key)
{
    int sources;
    const char *const *source = attend_session_source(session, 0, &sources);
    printf("%s", a[0].text);
    if (key >= 0 && key < sources)
        printf("\tfrom %s", source[key]);
    for (int i = 0; i < count; i++)
        printf("\t%s %.2f", a[i].text, a[i].log_p);
    printf("\n");
}

/* Greedy search: the likeliest token, until it is the end. */
static attend_status translate(attend_session *session, const char *line, attend_error *err)
{
    attend_alternative a[ALTERNATIVES];
    attend_status status = attend_session_start(session, 1, &line, err);
    int token = 0;
    for (int i = 0; i < LONGEST && status >= 0; i++) {
        status = attend_session_step(session, 1, NULL, &token, err);
        int count = status < 0 ? 0 : attend_session_alternatives(session, 0, ALTERNATIVES, a);
        if (count == 0)
            break;
        show(session, count, a, most_attended(session, err));
        token = a[0].token;
        if (token == attend_session_end(session))
            break;
    }
    return status;
}

int main(int argc, char **argv)
{
    attend_error err;
    attend_model *model = NULL;
    attend_session *session = NULL;
    attend_session_options options;
    char line[1000];
    if (argc != 2) {
        fprintf(stderr, "usage: steps MODEL_FOLDER < lines\n");
        return 2;
    }
    attend_model_info info;
    info.size = sizeof info;
    attend_session_defaults(&options);
    attend_status status = attend_model_open(argv[1], &model, &err);
    if (status >= 0)
        status = attend_model_describe(model, &info, &err);
    if (status >= 0) {
        options.record = info.attention & 1u << ATTEND_ATTENTION_CROSS;
        status = attend_session_new(model, &options, &session, &err);
    }
    while (status >= 0 && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        status = translate(session, line, &err);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    attend_session_free(session);
    attend_model_free(model);
    return status < 0;
}
