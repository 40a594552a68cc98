import { runOperatorCommand } from './identity/operator-command.js'

process.exitCode = runOperatorCommand(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
})
