namespace Opossum;

/// <summary>The options of a feature, which <see cref="OpossumOptions"/> carries without knowing it.</summary>
internal interface IFeatureOptions
{
    /// <summary>Says what is wrong with them.</summary>
    void Check(OptionsChecks checks);

    IFeatureOptions Copy();
}
