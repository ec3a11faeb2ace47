# The tasks of bAbI, which all_shuffled_*.txt mixes, by their questions: each story to FOLDER/NAME.PART.txt
# of those whose answer is a word of the story.
# usage: awk -v folder=FOLDER -v part=train -f babi_tasks.awk all_shuffled_train.txt
function name(question, facts, text)
{
    if (question ~ /^Where is the /) return "qa2-two-facts"
    if (question ~ /^Where was the .* before the /) return "qa3-three-facts"
    if (question ~ /^What is (the .* (west|east|north|south)|(west|east|north|south)) of/) return "qa4-two-relations"
    if (question ~ /^(Who (gave|received)|What did .* give|Who did .* give)/) return "qa5-three-relations"
    if (question ~ /^Where was .* before the /) return "qa14-time"
    if (question ~ /^What color is /) return "qa16-induction"
    if (question !~ /^Where is /) return ""
    if (text ~ / they /) return "qa13-compound-coreference"
    if (text ~ / (he|she) /) return "qa11-coreference"
    if (text ~ / and [A-Z]/) return "qa12-conjunction"
    return facts == 1 ? "qa1-one-fact" : ""
}
function flush() { if (lines && task != "") printf "%s", lines > (folder "/" task "." part ".txt"); lines = task = text = "" }
/^1 / { flush() }
{ lines = lines $0 "\n" }
!/\t/ { text = text " " $0 }
/\t/ && task == "" {
    split($0, cell, "\t"); question = cell[1]; sub(/^[0-9]+ /, "", question); sub(/ $/, "", question)
    task = name(question, split(cell[3], fact, " "), text)
}
END { flush() }
