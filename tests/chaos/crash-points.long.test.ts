import { crashCases, playCrashes } from './play-crashes.ts';

playCrashes(crashCases.further);
