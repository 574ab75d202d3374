"""Completion of the command line by the shell: its script, and the candidates for each word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from airtcp.cli.app import print_result
from airtcp.terminal import printable_lines

SHELLS = ("bash", "zsh", "fish")


class PathParam(click.ParamType):  # type: ignore[type-arg]  # click 8.1 has no arguments
    """A text that is the name of a file or of a folder (`kind`: "file", "dir") for the shell.

    The command that reads the file checks it, and can say more than that the file is missing.
    """

    name = "text"

    def __init__(self, kind: str) -> None:
        """Note the kind."""
        self.kind = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type=self.kind)]


FILE, FOLDER = PathParam("file"), PathParam("dir")


class CompletedParam(click.ParamType):  # type: ignore[type-arg]
    """A text for which the shell gets completions; the code that reads it reports mistakes."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The texts that it may become."""
        return [CompletionItem(text) for text in dict.fromkeys(self.completions(ctx, incomplete))]

    def completions(self, context: click.Context, incomplete: str) -> Iterator[str]:
        """The texts that begin with `incomplete`."""
        raise NotImplementedError


class NameParam(CompletedParam):
    """One of `names`, or if `listed` several with commas; `names` is called only for completion."""

    def __init__(
        self, names: Callable[[click.Context], Iterable[str]], *, listed: bool = False
    ) -> None:
        """Note where the names come from."""
        self.names, self.listed = names, listed

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """All names, in the help of an option that has no other word for them."""
        return f"[{'|'.join(self.names(ctx or click.Context(click.Command(None))))}]"

    def completions(self, context: click.Context, incomplete: str) -> Iterator[str]:
        """The names that begin like the last one, without the names before it."""
        before, comma, begun = incomplete.rpartition(",") if self.listed else ("", "", incomplete)
        for name in self.names(context):
            if name.startswith(begun) and name not in before.split(","):
                yield f"{before}{comma}{name}"


class AssignmentParam(CompletedParam):
    """KEY=VALUE: a key of `known`, then one of its values, several in brackets or, `listed`, bare.

    Keys are offered step by step, up to the next point: "path.", then "path.hop[0].".
    """

    def __init__(
        self,
        known: Callable[[click.Context], Mapping[str, Iterable[str]]],
        *,
        listed: bool = False,
    ) -> None:
        """Note where keys and values come from."""
        self.known, self.listed = known, listed

    def completions(self, context: click.Context, incomplete: str) -> Iterator[str]:
        """The next steps of the key, or the values that begin like the last one."""
        known = self.known(context)
        *_, last = _COMMA_BEFORE_KEY.split(incomplete) if self.listed else [incomplete]
        key, equals, value = last.partition("=")
        if not equals:
            yield from _key_steps(known, incomplete)
            return
        several = self.listed or value.startswith("[")
        begun = re.split(r"[,\[] *", value)[-1] if several else value
        before = incomplete.removesuffix(begun)
        yield from (f"{before}{value}" for value in known.get(key, ()) if value.startswith(begun))
        if self.listed and "," in value and begun:
            yield from (f"{before}{step}" for step in _key_steps(known, begun))


_COMMA_BEFORE_KEY = re.compile(r",(?=[\w.\[\]]+=)")  # the comma of KEY=A,B,KEY=C


def _key_steps(known: Iterable[str], begun: str) -> Iterator[str]:
    """The keys that begin like this, each up to the next point; whole ones with an equals sign."""
    for key in known:
        if key.startswith(begun):
            step, point, _ = key[len(begun) :].partition(".")
            yield f"{begun}{step}{point or '='}"


class BashCompletion(BashComplete):
    """Completion for bash, which takes KEY=VALUE for three words."""

    source_template = BashComplete.source_template.replace(
        "            COMPREPLY+=($value)\n",
        "            COMPREPLY+=($value)\n"
        "            if [[ $value == *[=.] ]]; then compopt -o nospace; fi\n",
    )
    cut = ""  # what stands before the word that bash asks about, and belongs to it

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words of the line; words that an equals sign joins are one."""
        before, incomplete = super().get_completion_args()
        words: list[str] = []
        joins = False
        for token in [*before, incomplete]:
            if words and (joins or token == "="):
                words[-1] += token
            else:
                words.append(token)
            joins = token == "="
        cut = words[-1].removesuffix("" if incomplete == "=" else incomplete)
        self.cut = cut.partition("=")[2] if cut.startswith("-") else cut
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """The answer without what bash has already."""
        return f"{item.type},{item.value.removeprefix(self.cut)}"


class ZshCompletion(ZshComplete):
    """Completion for zsh, without a blank behind what goes on."""

    source_template = (
        ZshComplete.source_template.replace(
            "    local -a completions\n", "    local -a completions open\n"
        )
        .replace(
            '                completions+=("$key")\n',
            '                if [[ "$key" == *[=.] ]]; then open+=("$key")\n'
            '                else completions+=("$key"); fi\n',
        )
        .replace(
            "        compadd -U -V unsorted -a completions\n    fi\n",
            "        compadd -U -V unsorted -a completions\n    fi\n"
            "    if [ -n \"$open\" ]; then compadd -U -S '' -V unsorted -a open; fi\n",
        )
    )


add_completion_class(BashCompletion, "bash")
add_completion_class(ZshCompletion, "zsh")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the shell's completion script: for commands, options and names.

    \b
    Examples:
      airtcp completion bash > ~/.local/share/bash-completion/completions/airtcp
      airtcp completion fish > ~/.config/fish/completions/airtcp.fish
      eval "$(airtcp completion zsh)"
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None  # click knows these three
    command = context.find_root().command
    print_result(
        printable_lines(
            completion_class(command, {}, "airtcp", "_AIRTCP_COMPLETE").source().splitlines()
        )
    )
