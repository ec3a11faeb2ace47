#include "cli/measure_input.h"

#include <string.h>

void at_measure_input_free(at_measure_input *in)
{
    for (int i = 0; i < in->systems; i++)
        at_lines_free(&in->hypothesis[i]);
    for (int i = 0; i < in->references; i++)
        at_lines_free(&in->reference[i]);
    at_lines_free(&in->source);
}

static attend_status check_standard_input(int systems, const char *const *hypotheses,
                                          const at_paths *references, const char *source,
                                          attend_error *err)
{
    int uses = source && strcmp(source, "-") == 0;
    for (int i = 0; i < systems; i++)
        uses += strcmp(hypotheses[i], "-") == 0;
    for (int i = 0; i < references->count; i++)
        uses += strcmp(references->item[i], "-") == 0;
    if (uses > 1)
        return at_error(err, ATTEND_OPTION,
                        "standard input is wanted %d times, and can be read once; name the files",
                        uses);
    return ATTEND_OK;
}

attend_status at_measure_read(at_measure_input *in, at_cli *cli, int systems,
                              const char *const *hypotheses, const at_paths *references,
                              const char *source, attend_error *err)
{
    attend_status status = check_standard_input(systems, hypotheses, references, source, err);
    for (int i = 0; i < references->count && status >= 0; i++)
        status = at_lines_read(&in->reference[in->references++], cli, references->item[i], err);
    for (int i = 0; i < systems && status >= 0; i++)
        status = at_lines_read(&in->hypothesis[in->systems++], cli, hypotheses[i], err);
    if (source && status >= 0)
        status = at_lines_read(&in->source, cli, source, err);
    return status;
}
