// What the wrapper of a module's half gives it, see src/runtime.
declare function binding(name: string): any;
declare const native: any;
declare module '~*' { const library: any; export = library; }

// Descriptors without a prototype, so that nothing on Object.prototype can change them.
interface PropertyDescriptor { __proto__?: null }
interface ErrorOptions { __proto__?: null }
interface Error { code?: any; errno?: any; syscall?: any; path?: any; cause?: any; dest?: any }
interface ErrorConstructor { new (message?: any, options?: ErrorOptions): Error; stackTraceLimit: number }
