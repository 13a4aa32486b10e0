using Opossum.Personal;

namespace Opossum;

/// <summary>What personal data adds to the options of a store and to its events.</summary>
public static class PersonalDataExtensions
{
    /// <param name="options">The options of a store.</param>
    extension(OpossumOptions options)
    {
        /// <summary>
        /// How the store encrypts personal data (<see cref="PersonalAttribute"/>), so that a person can be forgotten. Default:
        /// without a master key. See docs/forgetting.md.
        /// </summary>
        public PersonalDataOptions PersonalData
        {
            get => options.FeatureOrNew<PersonalDataOptions>();
            set
            {
                ArgumentNullException.ThrowIfNull(value);
                options.SetFeature(value);
            }
        }
    }

    /// <param name="e">An event.</param>
    extension(SequencedEvent e)
    {
        /// <summary>
        /// The personal members that cannot be read, because the person was forgotten or the keys are not there. Usually none.
        /// </summary>
        /// <exception cref="PersonalDataException">A personal value or a key is damaged, or a key cannot be read.</exception>
        public IReadOnlyList<UnreadableMember> UnreadableMembers => e.Opened() is OpenedPersonal { Lost: var lost } ? lost : [];
    }
}
