/** The packages that hold binaries: `@isobox/linux-x64` and its like, which scripts/platform-package.js makes. */
declare module '@isobox/*' {
  /** The binary for the ABI of the running Node. */
  export const file: string;
}
