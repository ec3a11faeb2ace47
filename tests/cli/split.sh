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
attend split --wrapped wrapped > out
printf 'One sentence over two lines.\nAnd another.\nA second paragraph.\nDone\n' > want
check "line breaks are blanks" 'cmp -s out want'
attend split --wrapped --paragraphs wrapped > out
check "an empty line after a paragraph" \
    '[ "$(sed -n 3p out)$(sed -n 6p out)" = "" ] && [ $(wc -l < out) -eq 6 ]'

printf 'Der 2. Band fehlt.\n' > german
check "German numbers" '[ "$(attend split --language de german | wc -l)" -eq 1 ]'
printf 'Bytes \xff\xfe stay. \0 too.\n' > bytes
attend split bytes > out
printf 'Bytes \xff\xfe stay.\n\0 too.\n' > want
check "any bytes come out as they were" 'cmp -s out want'
printf '' | attend split > out
silent out

expect 2 attend split --language klingon text
says err "klingon"
expect 66 attend split nowhere.txt
says err "nowhere.txt: cannot open"
