/* What each paper, or tutorial, chose. */
#include "models/bert.h"
#include "models/classifier.h"
#include "models/language.h"
#include "models/pointer.h"
#include "models/translator.h"
#include "models/xlnet.h"

const at_preset at_preset_bahdanau = {
    .name = "bahdanau",
    .formula = "GRU in both directions; additive attention before each step; deep readout (tanh)",
    .source = "Bahdanau et al. 2014",
    .kind = &at_model_translator,
    .attention = "additive",
    .settings = "cell=gru bidirectional=yes start=backward place=before readout=deep",
};

const at_preset at_preset_luong = {
    .name = "luong",
    .formula = "LSTM; bilinear attention after each step, fed into the next",
    .source = "Luong et al. 2015",
    .kind = &at_model_translator,
    .attention = "bilinear",
    .settings = "cell=lstm start=copy place=after input-feeding=yes",
};

const at_preset at_preset_rnn_encdec = {
    .name = "rnn-encdec",
    .formula = "a fixed context: the decoder starts from the encoder's last state",
    .source = "Sutskever et al. 2014",
    .kind = &at_model_translator,
    .settings = "cell=gru start=copy place=none",
};

const at_preset at_preset_sutskever = {
    .name = "sutskever",
    .formula = "LSTM, fixed context, the source read from its end",
    .source = "Sutskever et al. 2014",
    .kind = &at_model_translator,
    .settings = "cell=lstm reversed=yes start=copy place=none",
};

const at_preset at_preset_cho = {
    .name = "cho",
    .formula = "GRU, fixed context at every step; predicts from state, context and word",
    .source = "Cho et al. 2014",
    .kind = &at_model_translator,
    .settings = "cell=gru start=copy place=none context-each-step=yes readout=all",
};

const at_preset at_preset_keras = {
    .name = "keras",
    .formula = "GRU of 1024, two layers in the encoder; additive attention with bias before each "
               "step; 5000 words",
    .source = "the tutorial that comes with Keras",
    .kind = &at_model_translator,
    .attention = "additive:bias",
    .settings =
        "cell=gru layers=2 decoder-layers=1 hidden=1024 embedding=256 start=copy place=before",
    .vocabulary = 5000,
};

const at_preset at_preset_d2l = {
    .name = "d2l",
    .formula = "GRU; additive attention before each step, context before the word",
    .source = "Zhang et al. 2021, Dive into Deep Learning, 11.4",
    .kind = &at_model_translator,
    .attention = "additive",
    .settings = "cell=gru start=copy place=before context-first=yes",
};

/* How Transformers are trained: Adam with a shorter memory of squares, a warm-up, label smoothing,
 * batches of so many tokens, one vocabulary of subwords, the mean of the last weights. */
#define TRANSFORMER_TRAINING                                                                      \
    {"optimizer", "adam:beta2=0.98"}, {"label-smoothing", "0.1"}, {"tokenizer", "sentencepiece"}, \
    {                                                                                             \
        "average", "5"                                                                            \
    }

static const attend_setting base_training[] = {TRANSFORMER_TRAINING,
                                               {"lr", "0.0007"},
                                               {"schedule", "inverse_sqrt:warmup=4000"},
                                               {"batch-tokens", "4096"},
                                               {NULL, NULL}};

/* A small corpus has few batches: a warm-up of as many steps as the paper's might never end. */
static const attend_setting small_training[] = {
    TRANSFORMER_TRAINING,     {"lr", "0.002"},  {"schedule", "inverse_sqrt:warmup=0.1"},
    {"batch-tokens", "1000"}, {"epochs", "30"}, {NULL, NULL}};

const at_preset at_preset_transformer = {
    .name = "transformer",
    .formula = "6+6 layers of 512, 8 heads, feed-forward 2048; post-norm; one embedding for all",
    .source = "Vaswani et al. 2017, base",
    .kind = &at_model_transformer,
    .attention = "scaled-dot",
    .settings = "layers=6 hidden=512 heads=8 ffn=2048 norm=post dropout=0.1 shared=yes tied=yes",
    .training = base_training,
};

const at_preset at_preset_transformer_tiny = {
    .name = "transformer-tiny",
    .formula = "4+4 layers of 128, 4 heads, feed-forward 256; pre-norm; one embedding for all",
    .source = "Wu et al. 2021, for small corpora",
    .kind = &at_model_transformer,
    .attention = "scaled-dot",
    .settings = "layers=4 hidden=128 heads=4 ffn=256 norm=pre dropout=0.3 shared=yes tied=yes",
    .training = small_training,
};

const at_preset at_preset_transformer_small = {
    .name = "transformer-small",
    .formula = "3+3 layers of 256, 8 heads, feed-forward 512; pre-norm; one embedding for all",
    .source = "Vaswani et al. 2017, smaller",
    .kind = &at_model_transformer,
    .attention = "scaled-dot",
    .settings = "layers=3 hidden=256 heads=8 ffn=512 norm=pre dropout=0.1 shared=yes tied=yes",
    .training = small_training,
};

const at_preset at_preset_d2l_transformer = {
    .name = "d2l-transformer",
    .formula = "2+2 layers of 256, 4 heads, feed-forward 64; post-norm; attention without biases",
    .source = "Zhang et al. 2021, Dive into Deep Learning, 11.7",
    .kind = &at_model_transformer,
    .attention = "scaled-dot",
    .settings = "layers=2 hidden=256 heads=4 ffn=64 norm=post attention-bias=no dropout=0.2 "
                "attention-dropout=0.2",
};

const at_preset at_preset_rnn_classifier = {
    .name = "rnn-classifier",
    .formula = "classes of texts: GRU in both directions; one attention read with a learned query",
    .source = "Yang et al. 2016, without its second level",
    .kind = &at_model_classifier,
    .attention = "additive",
    .settings = "encoder=rnn bidirectional=yes pool=attention",
};

const at_preset at_preset_cnn_classifier = {
    .name = "cnn-classifier",
    .formula =
        "classes of texts: convolutions over 3, 4 and 5 words; the maximum over time, or with "
        "--pool attention the read of rnn-classifier",
    .source = "Kim 2014",
    .kind = &at_model_classifier,
    .settings = "encoder=cnn hidden=100 embedding=300 pool=max",
};

const at_preset at_preset_pointer_net = {
    .name = "pointer-net",
    .formula = "LSTM encoder and decoder; the weights of additive attention are the output",
    .source = "Vinyals et al. 2015",
    .kind = &at_model_pointer,
    .attention = "additive",
    .settings = "cell=lstm bidirectional=yes",
};

/* BERT's own tokens, optimiser and schedule; sizes and rates for models of this size */
static const attend_setting bert_training[] = {{"tokenizer", "wordpiece"},
                                               {"optimizer", "bert_adamw"},
                                               {"schedule", "linear:warmup=0.1"},
                                               {"lr", "0.0001"},
                                               {"clip", "1"},
                                               {"batch", "32"},
                                               {NULL, NULL}};

const at_preset at_preset_bert_tiny = {
    .name = "bert-tiny",
    .formula = "BERT of 2 layers of 128: an encoder whose tokens attend to each other",
    .source = "Turc et al. 2019",
    .kind = &at_model_bert,
    .training = bert_training,
    .settings = "hidden=128 layers=2 heads=2 ffn=512",
};

const at_preset at_preset_bert_mini = {
    .name = "bert-mini",
    .formula = "BERT of 4 layers of 256: an encoder whose tokens attend to each other",
    .source = "Turc et al. 2019",
    .kind = &at_model_bert,
    .training = bert_training,
    .settings = "hidden=256 layers=4 heads=4 ffn=1024",
};

const at_preset at_preset_bert_small = {
    .name = "bert-small",
    .formula = "BERT of 4 layers of 512: an encoder whose tokens attend to each other",
    .source = "Turc et al. 2019",
    .kind = &at_model_bert,
    .training = bert_training,
    .settings = "hidden=512 layers=4 heads=8 ffn=2048",
};

const at_preset at_preset_bert_medium = {
    .name = "bert-medium",
    .formula = "BERT of 8 layers of 512: an encoder whose tokens attend to each other",
    .source = "Turc et al. 2019",
    .kind = &at_model_bert,
    .training = bert_training,
    .settings = "hidden=512 layers=8 heads=8 ffn=2048",
};

const at_preset at_preset_bert_base = {
    .name = "bert-base",
    .formula = "BERT of 12 layers of 768: an encoder whose tokens attend to each other",
    .source = "Devlin et al. 2018",
    .kind = &at_model_bert,
    .training = bert_training,
    .settings = "hidden=768 layers=12 heads=12 ffn=3072",
};

/* XLNet's kind of tokens, and rates for models of this size */
static const attend_setting xlnet_training[] = {{"tokenizer", "sentencepiece"},
                                                {"optimizer", "adamw"},
                                                {"schedule", "linear:warmup=0.1"},
                                                {"lr", "0.0003"},
                                                {"clip", "1"},
                                                {"batch", "32"},
                                                {NULL, NULL}};

const at_preset at_preset_xlnet_tiny = {
    .name = "xlnet-tiny",
    .formula = "XLNet of 2 layers of 128: two streams, relative positions, any order of tokens",
    .source = "Yang et al. 2019, smaller",
    .kind = &at_model_xlnet,
    .training = xlnet_training,
    .settings = "hidden=128 layers=2 heads=2 ffn=512",
};

const at_preset at_preset_xlnet_small = {
    .name = "xlnet-small",
    .formula = "XLNet of 4 layers of 512: two streams, relative positions, any order of tokens",
    .source = "Yang et al. 2019, smaller",
    .kind = &at_model_xlnet,
    .training = xlnet_training,
    .settings = "hidden=512 layers=4 heads=8 ffn=2048",
};

const at_preset at_preset_xlnet_base = {
    .name = "xlnet-base",
    .formula = "XLNet of 12 layers of 768: two streams, relative positions, any order of tokens",
    .source = "Yang et al. 2019, base",
    .kind = &at_model_xlnet,
    .training = xlnet_training,
    .settings = "hidden=768 layers=12 heads=12 ffn=3072",
};

const at_preset at_preset_rnn_lm = {
    .name = "rnn-lm",
    .formula = "a language model: LSTM, the next word from all before it",
    .source = "Mikolov et al. 2010; Zaremba et al. 2014",
    .kind = &at_model_language,
    .settings = "cell=lstm",
};

/* How GPT-2 is trained: AdamW that leaves norms and biases without decay, a warm-up and half a
 * cosine. */
static const attend_setting gpt2_training[] = {
    {"tokenizer", "gpt2"},
    {"optimizer", "adamw:beta2=0.95,weight_decay=0.1,no_decay=norms+biases"},
    {"lr", "0.0006"},
    {"schedule", "cosine:warmup=0.02"},
    {NULL, NULL}};

static const attend_setting gpt2_char_training[] = {
    {"tokenizer", "chars"},
    {"optimizer", "adamw:beta2=0.99,weight_decay=0.1,no_decay=norms+biases"},
    {"lr", "0.001"},
    {"schedule", "cosine:warmup=0.05,end=0.0001"},
    {"batch", "12"},
    {"windows", "random"},
    {NULL, NULL}};

const at_preset at_preset_gpt2 = {
    .name = "gpt2",
    .formula = "a language model: 12 layers of 768, 12 heads, 1024 positions; 124 million weights",
    .source = "Radford et al. 2019",
    .kind = &at_model_gpt2,
    .attention = "scaled-dot",
    .settings = "layers=12 hidden=768 heads=12 context=1024",
    .training = gpt2_training,
};

const at_preset at_preset_gpt2_medium = {
    .name = "gpt2-medium",
    .formula = "gpt2 with 24 layers of 1024, 16 heads; 355 million weights",
    .source = "Radford et al. 2019",
    .kind = &at_model_gpt2,
    .attention = "scaled-dot",
    .settings = "layers=24 hidden=1024 heads=16 context=1024",
    .training = gpt2_training,
};

const at_preset at_preset_gpt2_large = {
    .name = "gpt2-large",
    .formula = "gpt2 with 36 layers of 1280, 20 heads; 774 million weights",
    .source = "Radford et al. 2019",
    .kind = &at_model_gpt2,
    .attention = "scaled-dot",
    .settings = "layers=36 hidden=1280 heads=20 context=1024",
    .training = gpt2_training,
};

const at_preset at_preset_gpt2_xl = {
    .name = "gpt2-xl",
    .formula = "gpt2 with 48 layers of 1600, 25 heads; 1.6 billion weights",
    .source = "Radford et al. 2019",
    .kind = &at_model_gpt2,
    .attention = "scaled-dot",
    .settings = "layers=48 hidden=1600 heads=25 context=1024",
    .training = gpt2_training,
};

const at_preset at_preset_gpt2_small_cpu = {
    .name = "gpt2-small-cpu",
    .formula = "gpt2 for two cores and a small corpus: 6 layers of 256, 8 heads, 256 positions",
    .source = "Radford et al. 2019, smaller",
    .kind = &at_model_gpt2,
    .attention = "scaled-dot",
    .settings = "layers=6 hidden=256 heads=8 context=256",
    .training = gpt2_training,
};

const at_preset at_preset_gpt2_char = {
    .name = "gpt2-char",
    .formula = "gpt2 for characters: 4 layers of 128, 4 heads, 64 positions",
    .source = "Karpathy, nanoGPT: the setting for a CPU",
    .kind = &at_model_gpt2,
    .attention = "scaled-dot",
    .settings = "layers=4 hidden=128 heads=4 context=64 dropout=0",
    .training = gpt2_char_training,
};

const at_preset *const at_presets[] = {
#define PRESET(name) &at_preset_##name,
#include "models/presets.def"
#undef PRESET
};

const int at_preset_count = (int)(sizeof at_presets / sizeof *at_presets);
