# sources.awk - joins the parts of the install script. Of a comment the script has the first sentence, for \df+; docs/reference has all of it:
# with -v whole=1 the whole comments are printed, and nothing else.

# Cuts the text in quotes that a line ends with after its first sentence.
function first_sentence(line,    start)
{
    start = index(line, "'")
    if (match(substr(line, start), /\. [A-Za-z"]/))
        line = substr(line, 1, start + RSTART - 1) "';"
    return line
}

{
    of_comment = /^COMMENT ON / || before ~ /^COMMENT ON .* IS$/
    before = $0
    if (of_comment && !whole)
        $0 = first_sentence($0)
    if (of_comment || !whole)
        print
}
