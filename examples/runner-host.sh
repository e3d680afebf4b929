#!/bin/sh
# A host in another language: runs a guest on `isobox runner` and answers its tool calls, in plain POSIX sh.
#
#   sh examples/runner-host.sh [command of the runner]
set -eu

[ $# -gt 0 ] || set -- npx isobox runner

pipes=$(mktemp -d)
trap 'rm -rf "$pipes"' EXIT
mkfifo "$pipes/to" "$pipes/from"

"$@" <"$pipes/to" >"$pipes/from" &
exec 3>"$pipes/to" 4<"$pipes/from"

# The guest asks for the name of this system, and makes a sentence of it.
cat >&3 <<'MESSAGE'
{"type":"execute","id":"1","code":"const name: string = await host.system(); `This is ${name}.`","options":{"timeoutMs":5000},"providers":[{"name":"host","types":"","tools":{"system":{"safeName":"system","originalName":"system"}}}]}
MESSAGE

while IFS= read -r line <&4; do
  case $line in
  '{"type":"tool_call"'*)
    call=$(printf '%s\n' "$line" | sed 's/.*"callId":"\([^"]*\)".*/\1/')
    printf '{"type":"tool_result","callId":"%s","ok":true,"result":"%s"}\n' "$call" "$(uname -s)" >&3
    ;;
  '{"type":"done"'*)
    printf '%s\n' "$line"
    break
    ;;
  esac
done

# The end of its input is the end of the runner.
exec 3>&-
wait
