namespace Opossum.Testing;

/// <summary>Prepares the options of a store of this package.</summary>
internal static class TestOptions
{
    /// <summary>A checked copy, with a master key if the options have none.</summary>
    /// <exception cref="ArgumentException">An option is invalid; the message names it.</exception>
    public static OpossumOptions Of(OpossumOptions? options, IMasterKey masterKey)
    {
        options = options?.Copy() ?? new OpossumOptions();
        options.Check(pathRequired: false).ThrowIfAny(nameof(options));
        if (options.PersonalData is { MasterKey: null, MasterKeyFile: null } personal)
            personal.MasterKey = masterKey;
        return options;
    }
}
