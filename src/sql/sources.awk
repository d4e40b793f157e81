# sources.awk - joins the parts of the install script. A function with an argument of type text|regclass, and its comment up to the next blank
# line, become two: one takes the name of a table or view, or a query, as text, the other a regclass, and its comment refers to the first.
# Of a comment the script has the first sentence, for \df+; docs/reference.md has all of it: with -v whole=1 the whole comments are printed, and nothing else.

# Cuts the text in quotes that a line ends with after its first sentence.
function first_sentence(line,    start)
{
    start = index(line, "'")
    if (match(substr(line, start), /\. [A-Za-z"]/))
        line = substr(line, 1, start + RSTART - 1) "';"
    return line
}

function emit(text,    lines, count, i, of_comment)
{
    count = split(text, lines, "\n") - 1
    for (i = 1; i <= count; i++) {
        of_comment = lines[i] ~ /^COMMENT ON / || (i > 1 && lines[i - 1] ~ /^COMMENT ON .* IS$/)
        if (of_comment && !whole)
            lines[i] = first_sentence(lines[i])
        if (of_comment || !whole)
            print lines[i]
    }
}

function flush_block(    other, signature)
{
    if (block !~ /text\|regclass/) {
        emit(block)
    } else {
        other = block
        gsub(/text\|regclass/, "text", block)
        if (!match(block, /COMMENT ON FUNCTION [^ ]+\([^)]*\) IS/)) {
            print FILENAME ": a function of a source has no comment after it" > "/dev/stderr"
            failed = 1
            exit 1
        }
        signature = substr(block, RSTART + 20, RLENGTH - 23)
        sub(/^pgfit\./, "", signature)
        gsub(/text\|regclass/, "regclass", other)
        match(other, /COMMENT ON FUNCTION [^ ]+\([^)]*\) IS/)
        emit(block "\n" substr(other, 1, RSTART + RLENGTH - 1) "\n'Takes a table or view as its source: see " signature ".';\n")
    }
    block = ""
}
FNR == 1 && NR > 1 { flush_block() }
{ block = block $0 "\n" }
/^$/ { flush_block() }
END { if (!failed) flush_block(); exit failed }
