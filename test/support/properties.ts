import fc from 'fast-check';

/**
 * Properties draw the same examples in every run, so that a red build means a change and not a draw. To look for what nobody
 * thought of yet: `FC_SEED=$RANDOM npm test`; what it finds becomes an example with the right value.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FC_SEED ?? 410) });
