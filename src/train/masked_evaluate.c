#include "train/masked_evaluate.h"

/* A batch of one line; *cut: it is longer than the model has positions, and ends as the whole. */
static bool make_batch(const at_model *m, const at_tokens *tokens, at_arena *arena, at_batch *out,
                       bool *cut)
{
    size_t most = (size_t)at_model_max_input(m, 0);
    size_t n = most && tokens->count > most ? most : tokens->count;
    *cut = n < tokens->count;
    if (!at_batch_make(out, 1, n, at_tokenizer_pad(m->source), false, arena))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t at = *cut && i + 1 == n ? tokens->count - 1 : i;
        const at_token *t = &tokens->item[at];
        bool inside = at > 0 && t->word != ATTEND_NO_WORD && t->word == t[-1].word;
        int32_t token = t->id * 2 + !inside;
        at_batch_put(out, 0, (int)i, &token, 1);
    }
    return true;
}

typedef struct {
    at_masked_loss loss;
    at_tape *tape;
    at_arena memory;
    at_tokens tokens;
} job;

static attend_status evaluate_line(job *j, size_t number, at_text line, at_masked_result *out,
                                   attend_error *err)
{
    size_t second;
    at_batch batch;
    bool cut;
    at_tokens_clear(&j->tokens);
    at_arena_reset(&j->memory);
    at_tape_reset(j->tape);
    attend_status status = at_encode_framed(j->loss.model->source, line.text, line.size, NULL, 0,
                                            &j->tokens, &second, err);
    if (status < 0)
        return status;
    if (!make_batch(j->loss.model, &j->tokens, &j->memory, &batch, &cut))
        return at_error_memory(err);
    batch.step = (uint32_t)number;
    status = at_masked_loss_take(&j->loss, &batch, 1, &j->memory, err);
    if (status < 0)
        return status;
    at_masked_loss_of(&j->loss, j->tape, 0);
    out->texts++;
    out->cut += cut;
    return at_tape_status(j->tape, err);
}

attend_status at_masked_evaluate(const at_model *m, const at_masking *masking, size_t lines,
                                 const at_text *line, at_masked_result *out, attend_error *err)
{
    job j = {.loss = {.model = m, .masking = *masking},
             .tape = at_tape_new(m->params, ATTEND_INFER)};
    attend_status status = j.tape ? ATTEND_OK : at_error_memory(err);
    *out = (at_masked_result){0};
    at_arena_init(&j.memory, 1 << 14);
    for (size_t i = 0; i < lines && status >= 0; i++)
        status = evaluate_line(&j, i, line[i], out, err);
    out->tokens = j.loss.tokens;
    out->right = j.loss.right;
    out->nll = j.loss.nll;
    at_tokens_free(&j.tokens);
    at_arena_free(&j.memory);
    if (j.tape)
        at_tape_free(j.tape);
    return status;
}
