/* torch.nn.Transformer, batch first: states of the encoder, output, gradients. src [B,S,D] and tgt
 * [B,T,D] are vectors; tgt_mask is the causal mask. It has last norms in both orders. */
#include <stdio.h>
#include <string.h>

#include "models/transformer.h"
#include "real_case.h"

static void bind_pair(at_case *c, const char *ours, const char *theirs)
{
    static const char *const part[] = {"weight", "bias"};
    char here[ATTEND_CASE_NAME + 8], there[ATTEND_CASE_NAME + 8];
    for (int i = 0; i < 2; i++) {
        snprintf(here, sizeof here, "%s.%s", ours, part[i]);
        snprintf(there, sizeof there, "%s.%s", theirs, part[i]);
        at_case_bind(c, here, at_case_param(c, there));
    }
}

/* in_proj_weight is [Wq;Wk;Wv] */
static void bind_attention(at_case *c, const char *ours, const char *theirs, int D)
{
    static const char *const which[] = {"q", "k", "v"}, *const part[] = {"weight", "bias"};
    char here[ATTEND_CASE_NAME], there[ATTEND_CASE_NAME];
    for (int i = 0; i < 6; i++) {
        snprintf(here, sizeof here, "%s.%s_proj.%s", ours, which[i / 2], part[i % 2]);
        snprintf(there, sizeof there, "%s.in_proj_%s", theirs, part[i % 2]);
        at_tensor *all = at_case_param(c, there);
        at_case_bind(c, here, at_slice(c->tape, all, 0, i / 2 * D, (i / 2 + 1) * D));
    }
    snprintf(here, sizeof here, "%s.out_proj", ours);
    snprintf(there, sizeof there, "%s.out_proj", theirs);
    bind_pair(c, here, there);
}

static void bind_layer(at_case *c, const char *stack, int i, bool decoder, int D)
{
    static const char *const encoder_pairs[][2] = {{"fc1", "linear1"},
                                                   {"fc2", "linear2"},
                                                   {"self_attn_layer_norm", "norm1"},
                                                   {"final_layer_norm", "norm2"}};
    static const char *const decoder_pairs[][2] = {{"fc1", "linear1"},
                                                   {"fc2", "linear2"},
                                                   {"self_attn_layer_norm", "norm1"},
                                                   {"encoder_attn_layer_norm", "norm2"},
                                                   {"final_layer_norm", "norm3"}};
    char here[ATTEND_CASE_NAME], there[ATTEND_CASE_NAME];
    for (int k = 0; k < (decoder ? 5 : 4); k++) {
        const char *const *pair = decoder ? decoder_pairs[k] : encoder_pairs[k];
        snprintf(here, sizeof here, "%s.layers.%d.%s", stack, i, pair[0]);
        snprintf(there, sizeof there, "%s.layers.%d.%s", stack, i, pair[1]);
        bind_pair(c, here, there);
    }
    snprintf(here, sizeof here, "%s.layers.%d.self_attn", stack, i);
    bind_attention(c, here, here, D);
    snprintf(here, sizeof here, "%s.layers.%d.encoder_attn", stack, i);
    snprintf(there, sizeof there, "%s.layers.%d.multihead_attn", stack, i);
    if (decoder)
        bind_attention(c, here, there, D);
}

static void bind_all(at_case *c, const at_transformer *m)
{
    at_case_params(c);
    for (int i = 0; i < m->layers; i++)
        bind_layer(c, "encoder", i, false, m->width);
    for (int i = 0; i < m->decoder_layers; i++)
        bind_layer(c, "decoder", i, true, m->width);
    bind_pair(c, "encoder.layer_norm", "encoder.norm");
    bind_pair(c, "decoder.layer_norm", "decoder.norm");
}

static at_transformer model_of(at_case *c)
{
    bool pre = json_is_true(at_case_json(c, "config.norm_first"));
    at_transformer m = {.width = at_case_int(c, "config.d", 0),
                        .layers = at_case_int(c, "config.Le", 0),
                        .decoder_layers = at_case_int(c, "config.Ld", 0),
                        .inner = at_case_int(c, "config.ff", 0),
                        .output = &at_output_words,
                        .pre_norm = pre,
                        .final_norm = true,
                        .bias = true,
                        .activation = at_activation_find(at_case_text(c, "config.act")),
                        .epsilon = (real)at_case_number(c, "config.eps", 1e-5)};
    attend_error err;
    if (at_how_parse(&m.attention, "scaled-dot", &err) < 0)
        at_fail_with(c->tape, &err);
    m.attention.heads = at_case_int(c, "config.A", 1);
    m.encoder_attention = m.decoder_attention = m.attention;
    if (!m.activation)
        at_fail(c->tape, "unknown activation %s", at_case_text(c, "config.act"));
    return m;
}

const int *at_case_lengths(at_case *c, const char *name)
{
    at_shape shape = SCALAR;
    const unsigned char *mask = at_case_mask(c, name, &shape);
    int *lengths = mask ? at_arena_alloc(&c->memory, (size_t)shape.dim[0] * sizeof *lengths) : NULL;
    for (int b = 0; lengths && b < shape.dim[0]; b++) {
        const unsigned char *row = mask + (size_t)b * (size_t)shape.dim[1];
        for (lengths[b] = 0; lengths[b] < shape.dim[1] && !row[lengths[b]];)
            lengths[b]++;
        for (int i = lengths[b]; i < shape.dim[1]; i++)
            if (!row[i])
                at_case_unknown(c, "%s: row %d has holes", name, b);
    }
    return lengths;
}

void at_check_transformer(at_case *c)
{
    at_tape *t = c->tape;
    at_transformer m = model_of(c);
    if (at_failed(t))
        return;
    bind_all(c, &m);
    const int *lengths = at_case_lengths(c, "src_key_padding_mask");
    at_tensor *states = at_transformer_encoder(t, &m, at_case_input(c, "src"), lengths, NULL);
    at_case_output(c, "memory", states);
    const int *memory_lengths = at_case_lengths(c, "memory_key_padding_mask");
    at_transformer_input in = {
        .x = at_case_input(c, "tgt"),
        .counts = at_case_lengths(c, "tgt_key_padding_mask"),
        .memory = at_transformer_memory(t, &m, states, memory_lengths ? memory_lengths : lengths),
        .width = 1};
    if (!at_failed(t))
        at_case_output(c, "output", at_transformer_decoder(t, &m, &in).features);
    at_case_gradients(c);
}
