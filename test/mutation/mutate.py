"""Finds the places of a C file where one small change makes another program. Standard library only."""
import bisect
import re

TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
""", re.S | re.M | re.X)

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "++": "--", "--": "++"}
BINARY = {"+": "-", "-": "+", "*": "/", "/": "*"}
NAMES = {"fmin": "fmax", "fmax": "fmin", "true": "false", "false": "true"}
KEYWORDS = set("if else for while do switch case default return break continue goto sizeof static const struct union enum "
               "typedef extern inline void int double float char bool long short unsigned signed register".split())
TYPE = re.compile(r"[A-Z][a-z]\w*|\w+_t|void|int|char|double|float|bool|const")  # before the star of a declaration


class Token:
    __slots__ = ("kind", "text", "start", "end")

    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


class Mutant:
    """One change: text[start:end] becomes new."""

    def __init__(self, operator, start, end, new):
        self.operator, self.start, self.end, self.new = operator, start, end, new


def tokens_of(text):
    return [Token(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text) if m.lastgroup != "skip"]


def partner(tokens, at, opening, closing):
    """Returns the index of the token that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text == opening:
            depth += 1
        elif tokens[i].text == closing:
            depth -= 1
            if depth == 0:
                return i
    return None


def statement_end(tokens, at):
    """Returns the index of the semicolon that ends the expression statement at `at`, or None."""
    depth = 0
    for i in range(at, len(tokens)):
        text = tokens[i].text
        if text in "([":
            depth += 1
        elif text in ")]":
            depth -= 1
            if depth < 0:
                return None
        elif text in "{}":
            return None
        elif text == ";":
            return i if depth == 0 else None
    return None


def controls(tokens, at):
    """Tells whether the parenthesis that closes at `at` belongs to if, for or while."""
    depth = 0
    for i in range(at, 0, -1):
        if tokens[i].text == ")":
            depth += 1
        elif tokens[i].text == "(":
            depth -= 1
            if depth == 0:
                return tokens[i - 1].text in ("if", "for", "while")
    return False


def inside_functions(tokens):
    """Tells for each token whether it is in the body of a function: a brace at depth 0 behind a closing parenthesis."""
    inside, depth, body = [], 0, False
    for i, token in enumerate(tokens):
        if token.text == "{":
            if depth == 0:
                body = i > 0 and tokens[i - 1].text == ")"
            depth += 1
        inside.append(body and depth > 0)
        if token.text == "}":
            depth -= 1
            if depth == 0:
                body = False
    return inside


def mutate_number(token):
    text = token.text
    if re.fullmatch(r"\d+", text) and (text == "0" or text[0] != "0"):
        value = int(text)
        return [str(value + 1)] + ([str(value - 1)] if value > 0 else [])
    if re.fullmatch(r"[\d.]+(?:[eE][+-]?\d+)?", text):
        return [f"({text} + 1)", f"({text} - 1)"]
    return []


def mutants_of(text):
    """Returns all changes of the functions of a file, in the order of their places."""
    tokens = tokens_of(text)
    inside = inside_functions(tokens)
    found = []

    def add(operator, start, end, new):
        found.append(Mutant(operator, start, end, new))

    for i in range(1, len(tokens) - 1):
        if not inside[i]:
            continue
        token, before, after = tokens[i], tokens[i - 1], tokens[i + 1]
        text_of = token.text
        if token.kind == "number":
            for new in mutate_number(token):
                add("constant", token.start, token.end, new)
        elif text_of in SWAPS:
            add("comparison" if text_of[0] in "<>!" or text_of == "==" else "logic" if text_of in ("&&", "||") else "assignment",
                token.start, token.end, SWAPS[text_of])
        elif text_of in BINARY and (before.kind in ("number", "name") or before.text in (")", "]")) and before.text != "return" and \
                not (text_of == "*" and TYPE.fullmatch(before.text)):
            add("arithmetic", token.start, token.end, BINARY[text_of])
        elif text_of in NAMES:
            add("minimum" if text_of[0] == "f" and text_of != "false" else "constant", token.start, token.end, NAMES[text_of])
        elif text_of in ("if", "while") and after.text == "(":
            close = partner(tokens, i + 1, "(", ")")
            if close is not None:
                inner = text[after.start:tokens[close].end]
                add("condition", after.start, tokens[close].end, f"(!{inner})")
        elif text_of == "return" and after.text != ";":
            end = statement_end(tokens, i + 1)
            if end is not None:
                value = text[after.start:tokens[end].start]
                add("return", after.start, tokens[end].start, "1" if value.strip() == "0" else "0")
        if token.kind == "name" and text_of not in KEYWORDS and before.text in (";", "{", "}", ")", "else") and \
                (after.text in ("(", "=", "->", "[", ".", "++", "--") or after.text.endswith("=")):
            if before.text == ")" and not controls(tokens, i - 1):
                continue  # behind a cast
            end = statement_end(tokens, i)
            if end is not None:
                add("removal", token.start, tokens[end].end, "(void)0;")
    return found


def line_of(text, at):
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    return bisect.bisect_right(starts, at)
