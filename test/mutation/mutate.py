"""Finds the places of a C file where one small change makes another program, and writes that with switches. Standard library only."""
import bisect
import collections
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
SPARED = re.compile(r"\bpoll\w*\(|\benv_poll\w*\(|\bprogress\(")  # statements that decide only when to look for a cancel, or what progress says
ROOM = re.compile(r"env_array\w*")
HEAD = 'extern char pgfit_switches[] __attribute__((visibility("hidden")));\n'


class Token:
    __slots__ = ("kind", "text", "start", "end")

    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


class Mutant:
    """One change: text[start:end] becomes new. It is in a body, and a statement that begins at `mark` runs before it does."""

    def __init__(self, operator, start, end, new, body, mark):
        self.operator, self.start, self.end, self.new, self.body, self.mark = operator, start, end, new, body, mark


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


def bodies_of(tokens):
    """Returns the first and the last token of each body of a function: a brace at depth 0 behind a closing parenthesis."""
    found, depth = [], 0
    for i, token in enumerate(tokens):
        if token.text == "{":
            depth += 1
            if depth == 1:
                first = i if i > 0 and tokens[i - 1].text == ")" else None
        elif token.text == "}":
            depth -= 1
            if depth == 0 and first is not None:
                found.append((first, i))
    return found


def marks_of(tokens, first, last):
    """Returns for each token of a body where the statement begins that it is part of, or one that always runs before."""
    marks, here = {}, tokens[first].end
    opened = []  # for what is open: whether it is a block, the statement that it is part of, and the token before it
    ended = header = False  # whether a statement ended, and whether parentheses closed that may come before a block
    for i in range(first, last + 1):
        text, before = tokens[i].text, tokens[i - 1]
        if text in ("case", "default"):
            here = opened[-1][1]
        elif ended and opened[-1][0] and text not in ("else", "}") and not (text == "while" and before.text == "}"):
            here = tokens[i].start
        marks[i] = here
        ended = text == ";"
        if text in ("(", "[", "{"):
            ended = text == "{" and (i == first or before.text in ("else", "do", "{", "}", ";", ":") or (before.text == ")" and header))
            opened.append((ended, here, before))
        elif text in (")", "]", "}"):
            block, here, opener = opened.pop()
            ended = block
            header = text == ")" and opener.kind == "name" and opener.text not in ("return", "sizeof")
    return marks


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
    bodies, marks, found = {}, {}, []
    for first, last in bodies_of(tokens):
        marks.update(marks_of(tokens, first, last))
        bodies.update(dict.fromkeys(range(first, last), (tokens[first].start, tokens[last].end)))

    def add(operator, start, end, new):
        if not SPARED.search(text, marks[i], text.find(";", end)):
            found.append(Mutant(operator, start, end, new, bodies[i], marks[i]))

    room = 0  # the token behind the call that allocates an array: a larger one is as good
    for i in range(1, len(tokens) - 1):
        if i not in bodies:
            continue
        token, before, after = tokens[i], tokens[i - 1], tokens[i + 1]
        text_of = token.text
        if ROOM.fullmatch(text_of) and after.text == "(":
            room = partner(tokens, i + 1, "(", ")") or 0
        if token.kind == "number":
            for new in mutate_number(token)[1 if i < room else 0:]:
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


def switched(path, text, mutants, exact):
    """Returns a file with changes that switches turn on, by their numbers: each is in a copy of the body of its function,
    and where it would be, the original notes that it is reached (at the start of the body, unless exact)."""
    pieces, at = [HEAD, f'#line 1 "{path}"\n'], 0
    bodies = collections.defaultdict(dict)
    for number, mutant in mutants.items():
        bodies[mutant.body][number] = mutant
    for (start, end), inside in sorted(bodies.items()):
        pieces.append(text[at:start] + "{")
        for number, mutant in inside.items():
            pieces.append(f"if (pgfit_switches[{number}] == 1)\n#line 1 \"mutant-{number}\"\n"
                          f"{text[start:mutant.start]}{mutant.new}{text[mutant.end:end]}\nelse ")
        pieces.append(f'\n#line {line_of(text, start)} "{path}"\n')
        at = start
        for mark, number in sorted((mutant.mark if exact else start + 1, number) for number, mutant in inside.items()):
            pieces.append(f"{text[at:mark]} if (pgfit_switches[{number}] > 1) pgfit_switches[{number}] = 3; ")
            at = mark
        pieces.append(text[at:end] + "}")
        at = end
    return "".join(pieces) + text[at:]
