// Names of browsers that the declarations of the AI SDK use.

interface FileList {
  readonly length: number;
}
type RequestCredentials = 'include' | 'omit' | 'same-origin';
