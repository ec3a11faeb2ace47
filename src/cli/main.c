/* Finds the command, reads its options, runs it, and turns its status into an exit code. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/guess.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/cli.h"

/* ---- the program ------------------------------------------------------------------------ */

static const at_option common_options[] = {
    {.name = "help", .letter = 'h', OPTION_FLAG(at_common, help), .help = "Print this text"},
    {.name = "quiet",
     .letter = 'q',
     OPTION_FLAG(at_common, quiet),
     .help = "Only results, warnings and errors"},
    {.name = "verbose",
     .letter = 'v',
     OPTION_FLAG(at_common, verbose),
     .help = "Say more on the way"},
    {.name = "threads",
     OPTION_INT(at_common, threads),
     .value = "0",
     .min = 0,
     .max = 1024,
     .meta = "N",
     .help = "Threads; 0 is one per processor"},
    {.name = "color",
     OPTION_CHOICE(at_common, color),
     .choices = "auto|always|never",
     .value = "auto",
     .meta = "WHEN",
     .help = "Colours in the output"},
    {0}};

static const at_term examples[] = {
    {"attend train --preset bahdanau --data pairs.tsv --out model", "Learn to translate"},
    {"echo \"Where is the station?\" | attend translate model --show",
     "Translate, and see which word looked at which"},
    {"attend read --example", "Try an attention by hand"},
    {"attend list presets", "What there is to train"},
    {"attend help train", "All about one command"},
    {0}};

static const at_term exit_codes[] = {{"0", "Success"},
                                     {"1", "The work failed: memory, numbers, sizes"},
                                     {"2", "An unknown command, option or value"},
                                     {"65", "A file does not have the form it should"},
                                     {"66", "An input file cannot be opened"},
                                     {"74", "Reading or writing failed"},
                                     {"129, 130, 143", "Stopped by SIGHUP, SIGINT, SIGTERM"},
                                     {0}};

static const at_term environment[] = {
    {"ATTEND_ISA", "Instruction set: base, avx2, avx512 or amx; at most the best of the machine"},
    {"NO_COLOR", "No colours, whatever its value"},
    {"COLUMNS", "Columns of the terminal, up to 80"},
    {0}};

#define COMMAND(name) &at_command_##name,
static const at_command *const commands[] = {
#include "cli/commands.def"
    NULL};
#undef COMMAND

#define COMMAND(name) &at_command_##name.usage,
static const at_usage *const usages[] = {
#include "cli/commands.def"
    NULL};
#undef COMMAND

#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const at_program at_program_attend = {
    .name = "attend",
    .version = DOTTED(ATTEND_VERSION_MAJOR, ATTEND_VERSION_MINOR, ATTEND_VERSION_PATCH),
    .summary = "Train, run and look into attention models",
    .description = "`attend COMMAND --help` explains a command. Results go to standard output, "
                   "messages and progress to standard error.",
    .common = common_options,
    .commands = usages,
    .examples = examples,
    .exit_codes = exit_codes,
    .environment = environment,
};

/* ---- messages, output, signals ---------------------------------------------------------- */

static char running_name[80] = "attend";

static void print_log(void *user, attend_log_level level, const char *message)
{
    static const char *const kinds[] = {"", "", "warning: ", "error: "};
    at_cli *cli = user;
    if ((level == ATTEND_LOG_DEBUG && !cli->common.verbose)
        || (level == ATTEND_LOG_INFO && cli->common.quiet))
        return;
    at_cli_progress_end(cli);
    fprintf(stderr, "%s: %s%s\n", running_name, kinds[level], message);
}

static bool output_failed;

attend_status at_cli_cannot_write(attend_error *err)
{
    output_failed = true;
    return at_error(err, ATTEND_FILE, "standard output: cannot write: %s", strerror(errno));
}

attend_status at_cli_write(at_str *s, attend_error *err)
{
    bool failed = s->failed;
    size_t written = failed ? 0 : fwrite(at_str_text(s), 1, s->length, stdout);
    bool short_write = written < s->length;
    at_str_free(s);
    if (failed)
        return at_error_memory(err);
    if (short_write || fflush(stdout) != 0)
        return at_cli_cannot_write(err);
    return ATTEND_OK;
}

static volatile sig_atomic_t signalled, user_signalled;

/* Ends the process as the signal would, without files that are half written. */
static void leave(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    at_writers_discard();
    sigaction(number, &action, NULL);
    raise(number);
}

static void clean_up_at_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = leave}, was;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

static void note_signal(int number)
{
    struct sigaction action = {.sa_handler = leave};
    signalled = number;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* A terminal that closes may say it more than once, and after others: it never ends the process. */
static void note_hang_up(int number)
{
    if (!signalled)
        signalled = number;
}

static void note_user_signal(int number) { user_signalled = number; }

void at_cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction was; /* nohup ignores it */
    if (sigaction(SIGHUP, NULL, &was) == 0 && was.sa_handler != SIG_IGN) {
        action.sa_handler = note_hang_up;
        sigaction(SIGHUP, &action, NULL);
    }
    action = (struct sigaction){.sa_handler = note_user_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    action = (struct sigaction){.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &action, NULL);
}

void at_cli_ignore_pipes(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &action, NULL);
}

bool at_cli_user_signal(void)
{
    bool came = user_signalled != 0;
    user_signalled = 0;
    return came;
}

int at_cli_signal(void) { return signalled; }

/* A mapped file has no bytes where it had some: there is no way back to who reads it. */
static void lost_file(int number, siginfo_t *info, void *context)
{
    static const char message[] = ": a file was cut short while it was read, or its disk failed; "
                                  "files in use must stay as they are: write a new one, and "
                                  "rename it\n";
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    ssize_t written = isatty(STDERR_FILENO) ? write(STDERR_FILENO, "\n", 1) : 0;
    written += write(STDERR_FILENO, running_name, strlen(running_name));
    written += write(STDERR_FILENO, message, sizeof message - 1);
    _exit(written < 0 ? 1 : 74);
}

static void catch_lost_files(void)
{
    struct sigaction action = {.sa_sigaction = lost_file, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

/* ---- running ---------------------------------------------------------------------------- */

/* a file that is not there, or a folder without the file that was looked for */
static bool cannot_open(const char *path)
{
    struct stat about;
    return path && (access(path, R_OK) != 0 || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)));
}

static int exit_code(const at_cli *cli, attend_status status)
{
    switch (status) {
    case ATTEND_OK: return 0;
    case ATTEND_OPTION: return 2;
    case ATTEND_FORMAT: return 65;
    case ATTEND_FILE: return !output_failed && cannot_open(cli->input) ? 66 : 74;
    case ATTEND_STOPPED: return signalled ? 128 + signalled : 1;
    default: return 1;
    }
}

static int report(const at_cli *cli, const attend_error *err)
{
    fprintf(stderr, "%s: %s\n", running_name, err->message);
    if (err->status == ATTEND_OPTION)
        fprintf(stderr, "Try '%s --help'.\n", running_name);
    return exit_code(cli, err->status);
}

const at_command *at_command_find(const char *name, attend_error *err)
{
    at_guess guess = {.word = name};
    for (int i = 0; commands[i]; i++) {
        const at_usage *u = &commands[i]->usage;
        if (strcmp(u->name, name) == 0)
            return commands[i];
        if (!u->hidden)
            at_guess_consider(&guess, u->name, strlen(u->name));
    }
    at_error(err, ATTEND_OPTION, "there is no command \"%.40s\"%s%s%s", name,
             *guess.best ? "; did you mean " : "", guess.best, *guess.best ? "?" : "");
    return NULL;
}

static bool takes_data(const at_command *c)
{
    for (const at_option *o = c->usage.options; o && o->name; o++)
        if (strcmp(o->name, "data") == 0)
            return true;
    return false;
}

static attend_status check_operands(const at_command *c, int count, char **operand,
                                    attend_error *err)
{
    const char *form = c->usage.operands ? c->usage.operands : "";
    if (count < c->min_operands)
        return at_error(err, ATTEND_OPTION, "an operand is missing: attend %s %s", c->usage.name,
                        form);
    if (count > c->max_operands)
        return at_error(err, ATTEND_OPTION, "\"%.100s\" is one operand too many%s",
                        operand[count - 1], takes_data(c) ? "; files are given with --data" : "");
    return ATTEND_OK;
}

/* for --verbose: what runs, with which options */
static void say_settings(const at_option_set *sets, int n_sets)
{
    at_str text = {0};
    for (int i = 0; i < n_sets; i++)
        for (const at_option *o = sets[i].options; o->name; o++) {
            at_str_print(&text, "%s%s=", text.length ? " " : "", o->name);
            at_option_print(&text, o, sets[i].fields);
        }
    at_log(ATTEND_LOG_DEBUG, "version %s, %d thread%s", attend_version(), attend_threads(),
           attend_threads() == 1 ? "" : "s");
    at_log(ATTEND_LOG_DEBUG, "options: %s", at_str_text(&text));
    at_str_free(&text);
}

static attend_status run(at_cli *cli, const at_command *c, void *fields, int argc, char **argv,
                         attend_error *err)
{
    at_option_set sets[] = {{common_options, &cli->common}, {c->usage.options, fields}};
    int n_sets = c->usage.options ? 2 : 1, operands;
    attend_status status = ATTEND_OK;
    for (int i = 0; i < n_sets && status >= 0; i++)
        status = at_options_defaults(sets[i].options, sets[i].fields, err);
    if (status >= 0)
        status = at_options_parse(sets, n_sets, argc, argv, &operands, err);
    if (status < 0)
        return status;
    at_cli_look(cli);
    if (cli->common.help) {
        at_str text = {0};
        at_usage_help(&text, &at_program_attend, &c->usage, cli->columns);
        return at_cli_write(&text, err);
    }
    attend_set_threads(cli->common.threads);
    say_settings(sets, n_sets);
    status = check_operands(c, operands, argv, err);
    return status < 0 ? status : c->run(cli, fields, operands, argv, err);
}

static int run_command(at_cli *cli, const at_command *c, int argc, char **argv)
{
    attend_error err;
    cli->command = c->usage.name;
    snprintf(running_name, sizeof running_name, "attend %s", c->usage.name);
    void *fields = at_alloc_zero(1, c->size ? c->size : 1);
    attend_status status = fields ? run(cli, c, fields, argc, argv, &err) : at_error_memory(&err);
    at_free(fields);
    at_cli_progress_end(cli);
    return status < 0 ? report(cli, &err) : 0;
}

/* attend, attend --help, attend --version, attend -x */
static int run_alone(at_cli *cli, const char *word)
{
    attend_error err;
    at_str text = {0};
    at_cli_look(cli);
    if (word && strcmp(word, "--version") == 0) {
        at_str_print(&text, "attend %s\n", attend_version());
        return at_cli_write(&text, &err) < 0 ? report(cli, &err) : 0;
    }
    if (word && strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0) {
        at_error(&err, ATTEND_OPTION, "%.100s: options come after the command", word);
        return report(cli, &err);
    }
    at_program_help(&text, &at_program_attend, cli->columns);
    if (word)
        return at_cli_write(&text, &err) < 0 ? report(cli, &err) : 0;
    fputs(at_str_text(&text), stderr);
    at_str_free(&text);
    return 2;
}

int main(int argc, char **argv)
{
    at_cli cli = {0};
    attend_error err;
    attend_set_log(print_log, &cli);
    catch_lost_files();
    clean_up_at_signals();
    for (int i = 0; commands[i]; i++)
        if (commands[i]->prepare)
            commands[i]->prepare();
    if (argc < 2 || argv[1][0] == '-')
        return run_alone(&cli, argc < 2 ? NULL : argv[1]);
    const at_command *c = at_command_find(argv[1], &err);
    return c ? run_command(&cli, c, argc - 2, argv + 2) : report(&cli, &err);
}
