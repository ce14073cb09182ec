"""The command `dse serving`: the best ways to serve a model on engines, and which engine is the cheaper one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 4


_ASKED = ("architecture", "device", "stack", "precision", "input", "output", "mode", "user_rate")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog='Examples: dse serving --architecture gpt-oss-120b --device "B200 SXM" --stack trt --input 922 '
        "--output 922 --user-rate 50 --report serving.html; dse serving --architecture deepseek-r1 --device GB200 "
        "--device MI355X --stack trt --stack sglang --precision fp4 --input 922 --output 922 --user-rate 50"
    )(serving)


def serving(
    architecture: Annotated[str, typer.Option(help="A row of serving/models.csv or training/models.csv.")],
    device: Annotated[list[str], typer.Option(help="A device: 'B200 SXM'; several are compared.")],
    stack: Annotated[list[str], typer.Option(help="Software: vllm, trt, sglang, atom; several are compared.")],
    input_tokens: Annotated[float, typer.Option("--input", help="Tokens of a prompt: the mean, not a nominal length.")],
    output_tokens: Annotated[float, typer.Option("--output", help="Tokens of an answer: the mean.")],
    precision: Annotated[str, typer.Option(help="mxfp4, fp8, fp4 or bf16; default: that of the model's card.")] = "",
    user_rate: Annotated[float, typer.Option(min=0, help="Tokens per second that a user sees at least.")] = 0.0,
    first_token: Annotated[float, typer.Option(min=0, help="Seconds to the first token at most.")] = float("inf"),
    mode: Annotated[str, typer.Option(help="Prompts and decoding: together, apart, or both.")] = "together",
    largest: Annotated[int, typer.Option(min=1, max=4096, help="Devices of a worker at most.")] = 72,
    seen: Annotated[bool, typer.Option("--seen", help="Only cuts that were measured with the software.")] = False,
    price: Annotated[
        Path | None, typer.Option(help="A price list: columns item, price [EUR], per; a row per device and hour.")
    ] = None,
    currency: Annotated[str, typer.Option(help="Unit of money of the price list.")] = "EUR",
    rows: Annotated[int, typer.Option(min=1, max=100, help="How many cuts to show.")] = 8,
    report: Annotated[Path | None, typer.Option(help="Write a page with frontiers and measured points.")] = None,
    json: Json = False,
) -> None:
    """Find the best ways to serve a language model. At the speed that users ask, and on which engine."""
    from dse.cli.text.output import print_json
    from dse.models.serving.cli.answers import as_dict, asked, print_answers

    try:
        answers = asked(
            (architecture, tuple(device), tuple(stack), precision),
            (input_tokens, output_tokens),
            (user_rate, first_token, largest),
            mode,
            seen=seen,
            prices=(price, currency),
        )
    except InputError as error:
        if error.key in _ASKED and error.file is None:
            error.key = f"--{error.key.replace('_', '-')}"
        raise error from None
    page = None
    if report is not None:
        from dse.models.serving.cli.page import write_serving_page

        page = write_serving_page(answers, report)
    if json:
        print_json({**as_dict(answers, rows), "report": str(page) if page else None})
    else:
        print_answers(answers, rows, page)
