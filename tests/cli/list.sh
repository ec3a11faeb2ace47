expect 0 attend list
silent err
says out "ops "
kinds=$(awk 'NR > 1 { print $1 }' out)
for kind in $kinds; do
    expect 0 attend list "$kind"
    narrow out 80
    check "$kind has entries" '[ $(wc -l < out) -gt 3 ]'
    expect 0 attend list "$kind" --markdown
    says out "| --- |"
    expect 0 attend list "$kind" --json
    check "$kind has a name" 'grep -q "\"name\": \"" out'
    if command -v python3 > /dev/null; then
        check "valid JSON" 'python3 -m json.tool < out > /dev/null 2>&1'
    fi
    attend completion bash > script
    check "shells complete $kind" 'sed -n "/^    list)/,/esac/p" script | grep -qw "$kind"'
done
check "every op is listed" \
    '[ "$(attend list ops | awk "NR > 1 { print \$1 }" | sort)" = \
       "$(cat "$root"/src/*/ops.def | sed -n "s/^OP(\(.*\))/\1/p" | sort)" ]'
expect 0 attend list ops
says out "softmax"
says out "y = tanh x"
expect 2 attend list opps
says err 'there is no list "opps"; did you mean ops?'
expect 2 attend list ops --json --markdown
says err "choose one"

# which part of SCORE/SCOPE/PICK a name is
expect 0 attend list attention
check "hybrid is a scope" 'grep -Eq "^hybrid .* scope$" out'
check "additive is a score" 'grep -Eq "^additive .* score$" out'
expect 2 attend read --example -a hybrid
says err "'hybrid' is a scope: SCORE/hybrid"
expect 2 attend read --example -a dot/sparse
says err "'sparse' is a pick: SCORE/SCOPE/sparse"

# what is no formula is not called one
for kind in presets tokenizers formats makers; do
    expect 0 attend list "$kind"
    check "$kind says what" 'head -n 1 out | grep -q "^name  *what"'
done
