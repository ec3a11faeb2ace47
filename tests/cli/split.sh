cat > text <<'END'
Mr. Smith paid $3.50. "Really?" she asked. He left.

Am 3. Oktober kam Dr. Maier z. B. nicht. Er kam am 5. Mai. Das war's usw. Dann ging er.
« Bonjour. » Il dit : « Quoi ? » Puis M. Dupont partit.
你好。我很好！「是的。」他说：“好。”然后走了。
「はい。」と言った。そうですか？
END
attend split text > out 2> err
silent err
cat > want <<'END'
Mr. Smith paid $3.50.
"Really?" she asked.
He left.
Am 3. Oktober kam Dr. Maier z. B. nicht.
Er kam am 5. Mai.
Das war's usw.
Dann ging er.
« Bonjour. »
Il dit : « Quoi ? »
Puis M. Dupont partit.
你好。
我很好！
「是的。」
他说：“好。”
然后走了。
「はい。」と言った。
そうですか？
END
check "one sentence a line" 'cmp -s out want'
check "standard input is the same" 'attend split < text | cmp -s - want'
check "and - is standard input" 'attend split - < text | cmp -s - want'
check "files follow each other" \
    '[ "$(attend split text text | wc -l)" -eq $((2 * $(wc -l < want))) ]'

printf 'One sentence\nover two lines. And\r\n another.\n\n \nA second paragraph. Done' > wrapped
attend split --wrapped wrapped > out 2> err
printf 'One sentence over two lines.\nAnd another.\nA second paragraph.\nDone\n' > want
check "line breaks are blanks" 'cmp -s out want'
attend split --wrapped --paragraphs wrapped > out 2> err
check "an empty line after a paragraph" \
    '[ "$(sed -n 3p out)$(sed -n 6p out)" = "" ] && [ $(wc -l < out) -eq 6 ]'

printf 'Der 2. Band fehlt.\n' > german
check "German numbers" '[ "$(attend split --language de german | wc -l)" -eq 1 ]'
printf 'Bytes \xff\xfe stay. \0 too.\n' > bytes
expect 0 attend split bytes
printf 'Bytes \xff\xfe stay.\n\0 too.\n' > want
check "any bytes come out as they were" 'cmp -s out want'
says err "1 line with bytes that are no UTF-8, the first at bytes:1"
says err "1 line with zero bytes, the first at bytes:1"
printf '\xef\xbb\xbfHere. There.\r\nOver.\r\n' > windows
expect 0 attend split windows windows
printf 'Here.\nThere.\nOver.\n' > want
check "a byte-order mark goes, of every file" 'cat want want | cmp -s out -'
says err "windows:1: a byte-order mark was skipped"
says err 'windows:1: \r\n ends 2 lines; the \r was skipped'
mkdir folder
expect 66 attend split folder
says err "folder: cannot read: Is a directory; name a file inside it"
printf '' | attend split > out
silent out

expect 2 attend split --language klingon text
says err "klingon"
expect 66 attend split nowhere.txt
says err "nowhere.txt: cannot open"
