# sources.awk - joins the parts of the install script. A function with an argument of type text|regclass, and its comment up to the next blank
# line, become two: one takes the name of a table or view, or a query, as text, the other a regclass, and its comment refers to the first.
function flush_block(    other, signature)
{
    if (block !~ /text\|regclass/) {
        printf "%s", block
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
        printf "%s\n%s\n'Takes a table or view as its source. See %s.';\n", block, substr(other, 1, RSTART + RLENGTH - 1), signature
    }
    block = ""
}
FNR == 1 && NR > 1 { flush_block() }
{ block = block $0 "\n" }
/^$/ { flush_block() }
END { if (!failed) flush_block(); exit failed }
