// The only C++ of the library. Exceptions end here.
#include "text/spiece.h"

#include <charconv>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

extern "C" {
#include "base/memory.h"
}

namespace sp = sentencepiece;

struct at_spiece {
    sp::SentencePieceProcessor processor;
};

// not in the installed headers, and later versions may not have it
namespace sentencepiece
{
namespace logging
{
__attribute__((weak)) void SetMinLogLevel(int level);
}
} // namespace sentencepiece

static void silence()
{
    if (sp::logging::SetMinLogLevel)
        sp::logging::SetMinLogLevel(3); // INFO 0, WARNING 1, ERROR 2
}

// What the library says, without the place in its source: "file.cc(12) [condition] what"
static std::string words_of(const sp::util::Status &status)
{
    std::string text = status.message();
    size_t end = text.rfind("] ");
    return end == std::string::npos ? text : text.substr(end + 2);
}

// Runs what may throw.
template <typename Work> static attend_status guarded(attend_error *err, Work work)
{
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return at_error_memory(err);
    } catch (const std::system_error &e) { // no thread
        return at_error(err, ATTEND_MEMORY, "SentencePiece: %s", e.what());
    } catch (const std::exception &e) {
        return at_error(err, ATTEND_FORMAT, "SentencePiece: %s", e.what());
    } catch (...) {
        return at_error(err, ATTEND_FORMAT, "SentencePiece failed without a word");
    }
}

// ---- models -----------------------------------------------------------------------------------

static attend_status load(at_spiece *s, std::string_view model, const char *file, attend_error *err)
{
    silence();
    sp::util::Status status = s->processor.LoadFromSerializedProto(model);
    if (status.ok())
        return ATTEND_OK;
    return at_error(err, ATTEND_FORMAT,
                    "%s: SentencePiece does not take it: %s; get the file again", file,
                    words_of(status).c_str());
}

attend_status at_spiece_load(const void *model, size_t size, const char *file, at_spiece **out,
                             attend_error *err)
{
    *out = nullptr;
    return guarded(err, [&] {
        void *memory = at_alloc(sizeof(at_spiece));
        if (!memory)
            return at_error_memory(err);
        at_spiece *s = new (memory) at_spiece;
        attend_status status = guarded(err, [&] {
            return load(s, {static_cast<const char *>(model), size}, file, err);
        });
        if (status < 0)
            at_spiece_free(s);
        else
            *out = s;
        return status;
    });
}

void at_spiece_free(at_spiece *s)
{
    if (!s)
        return;
    s->~at_spiece();
    at_free(s);
}

int at_spiece_size(const at_spiece *s) { return s->processor.GetPieceSize(); }

const char *at_spiece_text(const at_spiece *s, int id, size_t *size)
{
    const std::string &text = s->processor.IdToPiece(id);
    *size = text.size();
    return text.c_str();
}

at_spiece_type at_spiece_type_of(const at_spiece *s, int id)
{
    if (s->processor.IsUnknown(id))
        return ATTEND_SPIECE_UNKNOWN;
    if (s->processor.IsControl(id))
        return ATTEND_SPIECE_CONTROL;
    return s->processor.IsByte(id) || s->processor.IsUnused(id) ? ATTEND_SPIECE_OTHER
                                                                : ATTEND_SPIECE_NORMAL;
}

int at_spiece_find(const at_spiece *s, const char *text, size_t size)
{
    return s->processor.PieceToId({text, size});
}

int at_spiece_unk(const at_spiece *s) { return s->processor.unk_id(); }
int at_spiece_bos(const at_spiece *s) { return s->processor.bos_id(); }
int at_spiece_eos(const at_spiece *s) { return s->processor.eos_id(); }
int at_spiece_pad(const at_spiece *s) { return s->processor.pad_id(); }

// ---- text -------------------------------------------------------------------------------------

attend_status at_spiece_encode(const at_spiece *s, const char *text, size_t size,
                               at_spiece_take *take, void *user, attend_error *err)
{
    return guarded(err, [&] {
        sp::ImmutableSentencePieceText pieces;
        sp::util::Status status = s->processor.Encode({text, size}, pieces.mutable_proto());
        if (!status.ok())
            return at_error(err, ATTEND_FORMAT, "SentencePiece cannot cut the text: %s",
                            words_of(status).c_str());
        for (size_t i = 0; i < pieces.pieces_size(); i++) {
            const auto piece = pieces.pieces(static_cast<int>(i));
            const std::string &word = piece.piece();
            const at_spiece_token one = {word.c_str(), word.size(), static_cast<int>(piece.id()),
                                         piece.begin(), piece.end()};
            take(user, &one);
        }
        return ATTEND_OK;
    });
}

attend_status at_spiece_decode(const at_spiece *s, const char *const *text, const size_t *size,
                               size_t count, at_str *out, attend_error *err)
{
    return guarded(err, [&] {
        std::vector<std::string_view> pieces;
        std::string joined;
        for (size_t i = 0; i < count; i++)
            pieces.emplace_back(text[i], size[i]);
        sp::util::Status status = s->processor.Decode(pieces, &joined);
        if (!status.ok())
            return at_error(err, ATTEND_FORMAT, "SentencePiece cannot join the pieces: %s",
                            words_of(status).c_str());
        at_str_add_bytes(out, joined.data(), joined.size());
        return out->failed ? at_error_memory(err) : ATTEND_OK;
    });
}

// ---- learning ---------------------------------------------------------------------------------

namespace
{

class Lines : public sp::SentenceIterator
{
  public:
    Lines(const at_spiece_learning *how, attend_error *err) : how_(how), err_(err) { Next(); }

    bool done() const override { return more_ <= 0; }
    const std::string &value() const override { return line_; }
    sp::util::Status status() const override { return sp::util::Status(); }
    attend_status failure() const { return more_ < 0 ? attend_status(more_) : ATTEND_OK; }

    void Next() override
    {
        const char *text;
        size_t size;
        more_ = how_->next(how_->user, &text, &size, err_);
        if (more_ > 0)
            line_.assign(text, size);
    }

  private:
    const at_spiece_learning *how_;
    attend_error *err_;
    std::string line_;
    int more_ = 0;
};

} // namespace

// as %g, whatever the locale of the program
static std::string number(double x)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

// The sum of expectations depends on the number of threads, so that is fixed.
static std::unordered_map<std::string, std::string> settings(const at_spiece_learning *how)
{
    return {{"model_type", how->type},
            {"vocab_size", std::to_string(how->size)},
            {"character_coverage", number(how->coverage)},
            {"control_symbols", how->control},
            {"pad_id", "0"},
            {"unk_id", "1"},
            {"bos_id", "2"},
            {"eos_id", "3"},
            {"hard_vocab_limit", "false"},
            {"max_sentence_length", "4096"},
            {"num_threads", "4"},
            {"minloglevel", "3"}};
}

static attend_status explain(const at_spiece_learning *how, const sp::util::Status &status,
                             attend_error *err)
{
    std::string words = words_of(status);
    if (words.find("smaller than required_chars") != std::string::npos)
        return at_error(err, ATTEND_OPTION,
                        "%d pieces have no room for the characters of the text; give a larger size "
                        "or a lower coverage",
                        how->size);
    return at_error(err, ATTEND_OPTION, "SentencePiece does not learn from this: %s",
                    words.c_str());
}

attend_status at_spiece_learn(const at_spiece_learning *how, at_str *model, attend_error *err)
{
    return guarded(err, [&] {
        silence();
        Lines lines(how, err);
        std::string made;
        sp::util::Status status = sp::SentencePieceTrainer::Train(settings(how), &lines, &made);
        if (lines.failure() < 0)
            return lines.failure();
        if (!status.ok())
            return explain(how, status, err);
        at_str_add_bytes(model, made.data(), made.size());
        return model->failed ? at_error_memory(err) : ATTEND_OK;
    });
}
