import { describeWalks } from './unicode-names/describe-walks.ts';
import { nameClasses } from './unicode-names/names-of-class.ts';

describeWalks(nameClasses);
