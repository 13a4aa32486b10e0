namespace Opossum;

/// <summary>How a store keeps personal data: members of events and states that are encrypted, with a key for each person.</summary>
public sealed class PersonalDataOptions : IFeatureOptions
{
    /// <summary>
    /// The master key. Default: null. Without it, and without <see cref="MasterKeyFile"/>, personal data reads as if every person were forgotten, and
    /// appends of personal data fail.
    /// </summary>
    public IMasterKey? MasterKey { get; set; }

    /// <summary>
    /// The file of a <see cref="Opossum.MasterKey"/>, outside the store's folder, instead of <see cref="MasterKey"/>. Default: null. Opening fails if
    /// the file is missing.
    /// </summary>
    public string? MasterKeyFile { get; set; }

    /// <summary>
    /// The folder of the persons' keys, a file for each. Default: null, the folder <c>Keys</c> in the store's folder. All processes must use the
    /// same, and no other store. With <c>AddOpossumStores</c> each store has a folder of its name in it. It is made with the first key, and so is the
    /// folder above it, but none further up.
    /// </summary>
    public string? KeysFolder { get; set; }

    /// <summary>
    /// The id of the store's key, when it is lost for good, as the errors and the health check name it: the next append of personal data makes a new
    /// one. What the lost one has encrypted can never be read again. Default: null: where the keys are missing, no new ones are made, and personal
    /// data is refused. Once there is a new key, the setting has no effect.
    /// </summary>
    public string? LostStoreKey { get; set; }

    void IFeatureOptions.Check(OptionsChecks checks)
    {
        checks.Require(MasterKey is null || MasterKeyFile is null, "PersonalData has both a MasterKey and a MasterKeyFile; set one of them.");
        checks.Path(KeysFolder, "the folder of the persons' keys", "PersonalData.KeysFolder");
        checks.Path(MasterKeyFile, "the file of the master key", "PersonalData.MasterKeyFile");
    }

    IFeatureOptions IFeatureOptions.Copy() => (PersonalDataOptions)MemberwiseClone();
}
