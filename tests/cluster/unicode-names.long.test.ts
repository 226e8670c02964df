import { describeWalks } from './unicode-names/describe-walks.ts';
import { mixedClass, nameClasses } from './unicode-names/names-of-class.ts';

describeWalks([mixedClass, ...nameClasses]);
