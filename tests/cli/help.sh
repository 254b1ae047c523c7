# Help texts, the version, and unknown words.
source "$(dirname "$0")/common.bash"

passes "$MEGACADE" --help
output '^Usage: megacade COMMAND'
holds "commands of later versions are not listed" -z "$(grep -E '^  play ' "$work/out")"
passes "$MEGACADE" help
passes "$MEGACADE" --version
output '^megacade [0-9]*\.[0-9]*\.[0-9]*$'

for command in games roms trace bench record translate train eval; do
    passes "$MEGACADE" $command --help
    output "^Usage: megacade $command"
    output '^Options:'
    output '^Example:'
    output "^  megacade $command"
    holds "$command: a line of help is too long" -z "$(awk 'length > 110' "$work/out")"
    cp "$work/out" "$work/help"
    passes "$MEGACADE" help $command
    holds "help $command differs from $command --help" -z "$(diff "$work/out" "$work/help")"
    refuses 2 'has no option --nonsense-option' "$MEGACADE" $command --nonsense-option
done

"$MEGACADE" >"$work/out" 2>"$work/err"
holds "without a command: exit code 2" $? -eq 2
holds "without a command: help on standard error" -s "$work/err"
refuses 2 'did you mean bench' "$MEGACADE" bnech
refuses 2 'lists them' "$MEGACADE" somethingelse
refuses 2 'did you mean --frames' "$MEGACADE" trace --frmaes 3
refuses 2 'not available in this version' "$MEGACADE" play
refuses 2 'not available in this version' "$MEGACADE" help play
finish
