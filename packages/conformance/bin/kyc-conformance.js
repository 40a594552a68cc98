#!/usr/bin/env node
// npm links a command while it installs: in a fresh clone nothing is built then, so the link leads here.
import '../dist/cli/main.js'
