import { runOperatorCommand } from './identity/operator-command.js'

// Nobody reads on, as after `| head`. The exit code tells the outcome all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = runOperatorCommand(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
})
