"""Completion of the command line by the shell: its script, and what stands for a word."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem, get_completion_class

from airtcp.cli.app import put
from airtcp.terminal import lines

SHELLS = ("bash", "zsh", "fish")


class Entry(click.ParamType):  # type: ignore[type-arg]  # click 8.1 has no arguments
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


FILE, FOLDER = Entry("file"), Entry("dir")


class Name(click.ParamType):  # type: ignore[type-arg]
    """A text that is one of `names()`, for the shell; what reads it says so of others."""

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        """Note where the names come from: it is asked for them when the shell or help asks."""
        self.names = names

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """All names, in the help of an option that has no other word for them."""
        return f"[{'|'.join(self.names())}]"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin like this."""
        return [CompletionItem(one) for one in self.names() if one.startswith(incomplete)]


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what lets a shell complete commands, options and names.

    \b
    Examples:
      airtcp completion bash > ~/.local/share/bash-completion/completions/airtcp
      airtcp completion fish > ~/.config/fish/completions/airtcp.fish
      eval "$(airtcp completion zsh)"
    """
    found = get_completion_class(shell)
    assert found is not None  # click knows these three
    whole = context.find_root().command
    put(lines(found(whole, {}, "airtcp", "_AIRTCP_COMPLETE").source().splitlines()))
