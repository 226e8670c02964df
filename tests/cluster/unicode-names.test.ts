import { describeWalks } from './unicode-names/describe-walks.ts';
import { mixedClass } from './unicode-names/names-of-class.ts';

describeWalks([mixedClass]);
