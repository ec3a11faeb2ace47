#include <math.h>
#include <string.h>

#include "api/model.h"
#include "api/options.h"
#include "base/file.h"
#include "base/memory.h"
#include "train/masked_evaluate.h"

void attend_masked_defaults(attend_masked_options *o)
{
    *o = (attend_masked_options){.size = sizeof *o, .fraction = 0.15, .seed = 1234};
}

static attend_status check(const attend_model *m, const attend_masked_options *o, attend_error *err)
{
    attend_status status = attend_model_require(m, ATTEND_CAN_FILL, err);
    if (status < 0)
        return status;
    if (m->inside->source->special[ATTEND_SPECIAL_MASK] < 0)
        return at_error(err, ATTEND_FORMAT,
                        "%s: its tokenizer has no mask; evaluate a model whose tokenizer has one",
                        at_show(m->path).text);
    if (!(o->fraction > 0 && o->fraction <= 1))
        return at_error(err, ATTEND_OPTION, "a fraction of %g: choose one above 0, at most 1",
                        o->fraction);
    return ATTEND_OK;
}

attend_status attend_evaluate_masked(const attend_model *m, const attend_masked_options *options,
                                     size_t count, const char *const *line,
                                     attend_masked_result *result, attend_error *err)
{
    attend_masked_options o;
    attend_masked_defaults(&o);
    attend_status status = at_options_accept(&o, sizeof o, options, "attend_masked_defaults", err);
    if (status >= 0)
        status = check(m, &o, err);
    if (status < 0)
        return status;
    at_masking masking;
    at_masking_defaults(&masking, m->inside->source);
    masking.share = o.fraction;
    masking.whole_words = o.whole_words != 0;
    masking.seed = o.seed;
    at_text *text = at_alloc((count ? count : 1) * sizeof *text);
    for (size_t i = 0; text && i < count; i++)
        text[i] = (at_text){line[i], strlen(line[i])};
    at_masked_result r = {0};
    status = text ? at_masked_evaluate(m->inside, &masking, count, text, &r, err)
                  : at_error_memory(err);
    at_free(text);
    if (status >= 0 && r.tokens == 0)
        return at_error(err, ATTEND_FORMAT, "there is no text to evaluate with");
    if (status < 0)
        return status;
    *result = (attend_masked_result){.texts = r.texts,
                                     .cut = r.cut,
                                     .tokens = r.tokens,
                                     .right = r.right,
                                     .log_p = -r.nll,
                                     .perplexity = exp(r.nll / (double)r.tokens),
                                     .accuracy = 100 * (double)r.right / (double)r.tokens};
    return ATTEND_OK;
}
