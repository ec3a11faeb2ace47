# help, version, unknown words
commands="train translate align score evaluate compare average classify embed generate point"
commands="$commands fit read measure tokenize detokenize vocab split data list inspect"
commands="$commands help man completion"

expect 0 attend --version
version=$(attend inspect --build | sed -n "s/^version *//p")
check "prints one line" '[ "$(cat out)" = "attend $version" ]'
expect 0 attend --help
silent err
narrow out 80
for command in $commands; do says out "  $command "; done
says out "attend --version"
cp out program_help
expect 0 attend help
check "help and --help are the same" 'cmp -s out program_help'
expect 2 attend
silent out
says err "Usage: attend COMMAND"

for command in $commands; do
    expect 0 attend "$command" --help
    silent err
    narrow out 80
    says out "Usage: attend $command"
    says out "--threads N"
    check "$command has no empty default" '! grep -q "default )" out'
    cp out command_help
    expect 0 attend help "$command"
    check "the same for $command" 'cmp -s out command_help'
    COLUMNS=60 attend "$command" --help | grep -v "^  attend\|^Usage\|^attend" > out
    narrow out 60
done

expect 2 attend lsit
silent out
says err 'attend: there is no command "lsit"; did you mean list?'
expect 2 attend help banana
says err 'there is no command "banana"'
expect 2 attend --threads 2 list
says err "options come after the command"
expect 2 attend list --jsno
says err "attend list: unknown option --jsno; did you mean --json?"
says err "Try 'attend list --help'."
expect 2 attend list --threads
says err "--threads needs a value: --threads N"
expect 2 attend list --threads 5000
says err "--threads: 5000 is out of range; it goes from 0 to 1024"
expect 2 attend list --color sometimes
says err '--color: "sometimes" is not one of auto, always, never'
expect 2 attend list ops more
says err '"more" is one operand too many'
expect 2 attend fit
says err "an operand is missing: attend fit DATA.csv"

# a full disk and a closed output are failures, not silence
expect 74 sh -c 'attend help > /dev/full'
says err "standard output: cannot write: No space left on device"
expect 74 sh -c 'attend list >&-'

# the project's own scripts say what they do, and do nothing then
for script in script/demo script/test script/learn bench/race bench/results; do
    expect 0 "$root/$script" --help
    silent err
    narrow out 80
    says out "usage: $script"
done
expect 64 "$root/script/demo" --fast

# what a preset or a file can have switched on can be switched off, and help says so
expect 0 attend train --help
for name in input-feeding context-each-step bidirectional encoder-reads-padding context-first \
    swap; do
    says out "--[no-]$name"
done
check "what is for the command line alone is not" \
    "! grep -qE -- '--.no-.(resume|overwrite|dump-config)' out"
attend train --dump-config | sed -n 's/^\([a-z-]*\):.*/\1/p' > names
while read -r name; do
    check "help has --$name" "grep -qE -- '--(.no-.)?$name( |\$)' out"
done < names
check "names were tried" "[ \$(wc -l < names) -gt 40 ]"
expect 0 attend train --preset luong --no-input-feeding --dump-config
says out "input-feeding: no"
