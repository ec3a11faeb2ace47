expect 0 attend inspect --build
silent err
narrow out 80
for word in version compiler instructions threads libraries; do says out "$word"; done
says out "libc.so"
check "what draws is not loaded before it draws" '! grep -qE "cairo|pango|fontconfig" out'
ATTEND_ISA=base attend inspect --build > out
check "says the instruction set in use" 'grep -q "^instructions  *base$" out'
attend inspect --build --threads 3 > out
check "says the threads" 'grep -q "^threads  *3$" out'

header='{"__metadata__":{"format":"pt"},'
header+='"a.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},'
header+='"\u001b[31mb":{"dtype":"I64","shape":[1],"data_offsets":[24,32]}}'
mkdir model
{
    printf "\\x$(printf %02x ${#header})\0\0\0\0\0\0\0%s" "$header"
    head -c 32 /dev/zero
} > model/model.safetensors
expect 0 attend inspect model/model.safetensors
narrow out 80
check "shows a tensor" 'grep -q "^a.weight  *F32  *\[2, 3\]  *6  *24$" out'
says out "2 tensors, 7 parameters, 32 bytes"
says out "format: pt"
says out '\x1b[31mb'
check "no escape reaches the terminal" '! grep -q "$(printf "\033")" out'
cp out of_file
expect 0 attend inspect model
check "a folder is its model" 'cmp -s out of_file'
expect 0 attend inspect --json model
says out '"parameters": 7, "bytes": 32'
says out '"metadata": {"format": "pt"}'
if command -v python3 > /dev/null; then
    check "valid JSON" 'python3 -m json.tool < out > /dev/null 2>&1'
fi

expect 66 attend inspect nothing.safetensors
silent out
says err "nothing.safetensors: cannot open: No such file or directory"
mkdir empty
expect 66 attend inspect empty
says err "empty: there is no model.safetensors"
head -c 60 model/model.safetensors > cut.safetensors
expect 65 attend inspect cut.safetensors
says err "cut.safetensors"
echo "this is not a model" > text
expect 65 attend inspect text
expect 2 attend inspect
says err "which file?"
expect 2 attend inspect --build model
attend inspect model/model.safetensors > /dev/full 2> err
code=$?
check "a full disk" '[ $code -eq 74 ]'
