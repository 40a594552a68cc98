/** A style sheet as text: Vite and, by its `text` loader, esbuild read it so. */
declare module '*.css?raw' {
  const text: string
  export default text
}

/** A script as text. */
declare module '*.standalone.js?raw' {
  const text: string
  export default text
}
