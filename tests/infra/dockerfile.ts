import { readFileSync } from 'node:fs';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { infra } from './project-root.ts';

export const dockerfileText = readFileSync(infra('images', 'Dockerfile'), 'utf8');

export interface Stage {
  readonly name: string;
  /** Instructions of the stage, after those of the stages on which it is built. */
  readonly instructions: readonly Instruction[];
}

/** Returns the stages of the Dockerfile by name. */
export function readStages(): ReadonlyMap<string, Stage> {
  const stages = new Map<string, Stage>();
  let current: { name: string; instructions: Instruction[] } | undefined;
  for (const instruction of DockerfileParser.parse(dockerfileText).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const [base = '', , name = ''] = instruction.getArguments().map(String);
      current = { name, instructions: [...(stages.get(base)?.instructions ?? [])] };
      stages.set(name, current);
    } else current?.instructions.push(instruction);
  }
  return stages;
}

/** Returns the text behind the last instruction of a kind; throws when the stage has none. */
export function lastOf({ name, instructions }: Stage, keyword: string): string {
  const found = instructions.findLast((one) => one.getKeyword() === keyword);
  if (!found) throw new Error(`the stage ${name} has no ${keyword}`);
  return found.getArgumentsContent()?.replaceAll(/\\\n\s*/g, '') ?? '';
}

/** Returns the environment that an image sets. */
export function environmentOf(stage: Stage): Record<string, string> {
  const words = stage.instructions
    .filter((one) => one.getKeyword() === 'ENV')
    .flatMap((one) => one.getArguments().map(String));
  return Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
}
