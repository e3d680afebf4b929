'use strict';
// `isobox completion`: a script that has a shell complete commands and options, made from the commands themselves.

const SHELLS = /** @type {const} */ (['bash', 'zsh', 'fish']);

const HELP = `
Examples:
  $ echo 'source <(isobox completion bash)' >> ~/.bashrc
  $ echo 'source <(isobox completion zsh)' >> ~/.zshrc
  $ isobox completion fish > ~/.config/fish/completions/isobox.fish`;

/** @typedef {{ name: string, summary: string, options: { flag: string, description: string }[] }} Completed */

/**
 * @param {import('commander').Command} program
 * @returns {Completed[]}
 */
function describe(program) {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: [
      ...command.options.flatMap(({ short, long, description }) =>
        [short, long].flatMap((flag) => (flag ? [{ flag, description }] : [])),
      ),
      { flag: '--help', description: 'print the help' },
    ],
  }));
}

/** @param {Completed[]} commands */
const wordsOf = (commands) => [...commands.map(({ name }) => name), 'help', '--help', '--version'];

/** @param {Completed} command */
const flagsOf = ({ options }) => options.map(({ flag }) => flag).join(' ');

const SCRIPTS = {
  /** @param {Completed[]} commands */
  bash: (commands) => `_isobox() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${wordsOf(commands).join(' ')}"
  elif [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map((one) => `      ${one.name}) words="${flagsOf(one)}" ;;`).join('\n')}
    esac
  elif [ "\${COMP_WORDS[1]}" = help ]; then
    words="${commands.map(({ name }) => name).join(' ')}"
  elif [ "\${COMP_WORDS[1]}" = completion ]; then
    words="${SHELLS.join(' ')}"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _isobox isobox
`,
  /** @param {Completed[]} commands zsh takes what is written for bash */
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit
${SCRIPTS.bash(commands)}`,
  /** @param {Completed[]} commands */
  fish: (commands) =>
    [
      ...commands.map(
        ({ name, summary }) =>
          `complete -c isobox -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
      ),
      ...commands.flatMap(({ name, options }) =>
        options.map(({ flag, description }) => {
          const option = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`;
          return `complete -c isobox -n '__fish_seen_subcommand_from ${name}' ${option} -d ${quote(description)}`;
        }),
      ),
      '',
    ].join('\n'),
};

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** @param {import('commander').Command} program */
function register(program) {
  const { Argument } = require('commander');
  program
    .command('completion')
    .summary('print a script that completes commands and options')
    .description('Prints a script for a shell, which then completes commands and options.')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((/** @type {keyof typeof SCRIPTS} */ shell) => {
      process.stdout.write(SCRIPTS[shell](describe(program)));
    });
}

module.exports = { register };
