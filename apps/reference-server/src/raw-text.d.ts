/** A file as text: Vite and, by its `text` loader, esbuild read it so. */
declare module '*?raw' {
  const text: string
  export default text
}
