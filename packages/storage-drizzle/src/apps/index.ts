export { scopesWithin, type AppDirectory } from './app-directory.js'
