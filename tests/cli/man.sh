# manual pages and completion, from the same tables as --help
expect 0 attend man --all made
check "docs/man is what the tables say (attend man --all docs/man)" \
    'diff -r made "$root/docs/man" > difference || { head difference; false; }'
expect 0 attend man
cp out page
check "the page of the program" 'cmp -s page made/attend.1'
expect 0 attend man fit
check "the page of a command" 'cmp -s out made/attend-fit.1'
expect 2 attend man banana
expect 2 attend man --all made fit
expect 74 attend man --all /dev/null/here

if command -v groff > /dev/null; then
    for page in made/*.1; do
        groff -man -Tutf8 -ww -z "$page" > warnings 2>&1
        check "$page has no warnings" '[ ! -s warnings ] || { cat warnings; false; }'
    done
else
    skip "there is no groff to render the manual pages"
fi
if command -v man > /dev/null && command -v groff > /dev/null &&
    MANWIDTH=80 man -l made/attend-fit.1 > out 2> err; then
    narrow out 80
    says out "ATTEND-FIT(1)"
    says out "--steps N"
else
    skip "there is no man to show the pages"
fi

for shell in bash zsh fish; do
    expect 0 attend completion $shell
    cp out attend.$shell
    if command -v $shell > /dev/null; then
        check "$shell reads it" "$shell -n attend.$shell"
    fi
done
expect 2 attend completion tcsh
says err "is not one of bash, zsh, fish"

complete() # WORD...: what bash would offer
{
    bash -c 'source ./attend.bash; compopt() { echo files; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attend; echo "${COMPREPLY[*]}"' bash "$@" > out
}
complete attend fi; check "commands" '[ "$(cat out)" = "fill fit" ]'
complete attend fit --st; check "options" '[ "$(cat out)" = --steps ]'
complete attend fit --color al; check "choices" '[ "$(cat out)" = always ]'
complete attend fit --color = n; check "after an equals sign" '[ "$(cat out)" = never ]'
complete attend fit ""; check "files" '[ "$(head -n 1 out)" = files ]'
complete attend fit --steps ""; check "no file is a number" '[ "$(cat out)" = "" ]'
complete attend help in; check "names of commands" '[ "$(cat out)" = inspect ]'
