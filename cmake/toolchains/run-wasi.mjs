// Runs a program for WASI under Node: node run-wasi.mjs PROGRAM.wasm [ARGUMENT]...
import { readFile } from "node:fs/promises";
import { argv, env } from "node:process";
import { WASI } from "node:wasi";

const program = argv[2];
const wasi = new WASI({ version: "preview1", args: argv.slice(2), env, preopens: { "/": "/" } });
const instance = await WebAssembly.instantiate(await WebAssembly.compile(await readFile(program)), wasi.getImportObject());
process.exitCode = wasi.start(instance);
